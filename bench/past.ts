// SPDX-License-Identifier: Apache-2.0
// A query at a moment within the last hour, over a fleet log in SQLite: the hub's own code from the text to the answer,
// beside folding the whole log up to the same moment. One kind of three, with 15% of the rows, changed since in every
// cluster. Goal: <= 1 s. In full: BENCH_ROWS=5000000.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasCode } from "../src/base/error.ts";
import { silentLogger } from "../src/base/log.ts";
import { systemClock as clock, pauseThread } from "../src/base/time/system-clock.ts";
import { hubSubject } from "../src/hub/access/hub-subject.ts";
import type { IndexPort } from "../src/hub/index/index-port.ts";
import { createInThreadIndex } from "../src/hub/index/testing/in-thread-index.ts";
import { ChangeFeed } from "../src/hub/rows/change-feed.ts";
import { type FleetQueries, plainQuery } from "../src/hub/rows/fleet-queries.ts";
import { FleetRows } from "../src/hub/rows/fleet-rows.ts";
import { IndexFleetReader } from "../src/hub/rows/index-fleet-reader.ts";
import { parseClusterId } from "../src/model/cluster-id.ts";
import { encodeRowBatch } from "../src/model/row-batch/encode.ts";
import { createHasher } from "../src/model/rows/hasher.ts";
import { RowSealer } from "../src/model/rows/row-sealer.ts";
import { zstdCodec as codec } from "../src/rpc/client/zstd-codec.ts";
import type { FleetLog, FlushPart } from "../src/store/fleet-log/fleet-log.ts";
import { openFleetLog } from "../src/store/fleet-log/open-fleet-log.ts";
import { createFlushes } from "./fleet/first-sync-flushes.ts";
import { createFleetRows } from "./support/fleet-rows.ts";
import { reportPromise } from "./support/promise.ts";

const wantedRows = Number(process.env["BENCH_ROWS"] ?? 1_000_000);
const clusterCount = Number(process.env["BENCH_CLUSTERS"] ?? 60);

/** Flushes of each cluster after the moment, and rows of one. */
const [deltaCount, deltaRows] = [10, 20];

const hasher = await createHasher();
const changedResource = "apps/deployments";
const clusters = Array.from({ length: clusterCount }, (_, at) => `bench-${at}`);

async function createParts(): Promise<{
  readonly first: readonly (readonly FlushPart[])[];
  readonly deltas: readonly FlushPart[];
  readonly rowCount: number;
}> {
  // An app has some seven rows.
  const contents = createFleetRows(hasher, Math.ceil(wantedRows / clusterCount / 6.67));
  const flushes = await createFlushes(contents, { codec, hasher });
  const changed = contents.find(({ kind }) => kind === "Deployment");
  if (changed === undefined) throw new Error("the mix has no Deployments");
  const sealer = new RowSealer(parseClusterId("prod-east"), changed.resource, hasher);
  const deltas: FlushPart[] = [];
  for (let at = 0; at < deltaCount; at += 1) {
    const rows = changed.rows.slice(at * deltaRows, (at + 1) * deltaRows);
    const bytes = await codec.compress(
      encodeRowBatch({ ...changed, rows: rows.map((row) => sealer.seal({ ...row, reason: "Changed" })) }, hasher),
    );
    deltas.push({ resource: changedResource, form: { kind: "delta" }, bytes });
  }
  return {
    first: flushes.map(({ flush }) =>
      flush.parts.map(({ resourceText: resource, batch: bytes }) => ({ resource, bytes, form: { kind: "delta" } })),
    ),
    deltas,
    rowCount: flushes.reduce((sum, { rowCount }) => sum + rowCount, 0) * clusterCount,
  };
}

/** Appends flushes to the log and folds them into the index. */
async function ingest(
  log: FleetLog,
  index: IndexPort,
  flushes: readonly (readonly FlushPart[])[],
  firstSeq: number,
): Promise<void> {
  for (const cluster of clusters)
    for (const [at, parts] of flushes.entries()) {
      const flush = { cluster, shard: "", epoch: 1, incarnation: "inc", seq: firstSeq + at, parts };
      const outcome = await log.append(flush);
      if (outcome.kind !== "appended") throw new Error(`a flush was not appended: ${outcome.kind}`);
      const { position, receivedAtMs } = outcome;
      for (const { resource, form, bytes } of parts)
        await index.load(cluster, { resource, form, bytes, position, receivedAtMs });
    }
}

async function openIndex(): Promise<IndexPort> {
  const index = createInThreadIndex({ codec, hasher, pause: pauseThread, clock });
  for (const cluster of clusters) {
    await index.setFields(cluster, { cluster, region: "", environment: "" });
  }
  return index;
}

async function showAll(index: IndexPort): Promise<void> {
  for (const cluster of clusters) await index.setRbacComplete(cluster, true);
}

function queriesOf(index: IndexPort, fleetLog: FleetLog): FleetQueries {
  return new IndexFleetReader({
    index,
    fleetLog,
    rows: new FleetRows(index, silentLogger),
    feed: new ChangeFeed("feed"),
    clock,
    clusterIds: () => clusters,
    authorizer: { isAllowed: () => true },
    log: silentLogger,
  }).queries(hubSubject);
}

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly total: number;
}

async function ask(queries: FleetQueries, text: string): Promise<Measured> {
  const [startedMs, before] = [performance.now(), process.cpuUsage()];
  const { total } = await queries.list({ ...plainQuery, text, limit: 50, facets: ["cluster", "status", "kind"] });
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startedMs) / 1_000, cpuSeconds: (user + system) / 1_000_000, total };
}

/** As `ask`; undefined if the rows do not fit into the memory for past rows. */
async function askAll(queries: FleetQueries, text: string): Promise<Measured | undefined> {
  try {
    return await ask(queries, text);
  } catch (reason) {
    if (!hasCode(reason, "TOO_LARGE")) throw reason;
    console.log(`folding the whole log: ${reason.message}`);
    return undefined;
  }
}

const folder = mkdtempSync(join(tmpdir(), "flotilla-bench-past-"));
const log = await openFleetLog(join(folder, "fleet.db"));
try {
  const { first, deltas, rowCount } = await createParts();
  const index = await openIndex();
  for (const cluster of clusters) await log.raiseEpoch(cluster, "", 1);
  await ingest(log, index, first, 1);
  await clock.sleep(20);
  const at = `at:${new Date(clock.wallMs()).toISOString()}`;
  await clock.sleep(20);
  await ingest(
    log,
    index,
    deltas.map((part) => [part]),
    first.length + 1,
  );
  await showAll(index);
  const queries = queriesOf(index, log);
  const shown = `at a past moment, ${rowCount} rows in ${clusterCount} clusters`;
  // An index that holds no present rows must fold all of the log.
  const empty = await openIndex();
  await showAll(empty);
  const texts = [
    ["every row", at],
    ["the kind that changed", `kind:Deployment ${at}`],
    ["a kind that did not", `kind:Service ${at}`],
    ["rows by name", `checkout-api ${at}`],
  ] as const;
  const cpuSeconds: number[] = [];
  for (const [what, text] of texts) {
    const cold = await ask(queries, text);
    const warm = await ask(queries, text);
    cpuSeconds.push(cold.cpuSeconds);
    reportPromise({
      bench: "past",
      what: `${what}, ${shown}`,
      ours: cold.seconds,
      unit: "s",
      against: { kind: "atMost", value: 1 },
      more: { cpuSeconds: cold.cpuSeconds, againSeconds: warm.seconds, total: cold.total },
    });
  }
  const all = await askAll(queriesOf(empty, log), at);
  if (all !== undefined)
    reportPromise({
      bench: "past",
      what: `CPU of every row, ${shown}`,
      ours: cpuSeconds[0] ?? Number.NaN,
      unit: "s",
      against: { kind: "peer", name: "folding the whole log", value: all.cpuSeconds },
      more: { peerSeconds: all.seconds },
    });
} finally {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
}
