// SPDX-License-Identifier: Apache-2.0
// Our Kubernetes API server beside the real one (kube-apiserver and etcd, which syncs its writes): the same client, the
// same objects, in turns. Budget: creates/s and updates/s at 64 in flight and their p99 no worse than the real one's;
// 100 watches >= 100,000 deliveries/s; memory at 50,000 objects <= half; a restart with 100,000 objects answers within
// 5 s. Needs the kit of `npm run kubernetes`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchEncoding } from "./apiserver/bench-encoding.ts";
import { benchEmpty, benchRestart } from "./apiserver/bench-restart.ts";
import { benchWatches } from "./apiserver/bench-watches.ts";
import { benchWrites, createPlan, fillUp, type Sides, updatePlan } from "./apiserver/bench-writes.ts";
import { openStreams } from "./apiserver/h2-client.ts";
import { LightConnection, openConnections } from "./apiserver/light-client.ts";
import { configMaps, deployments, namespaceCount, namespaceOf } from "./apiserver/objects.ts";
import { report } from "./apiserver/report.ts";
import { type BenchServer, startOurs, startReal } from "./apiserver/servers.ts";

const inFlight = 64;
/** ConfigMaps that there are when memory is looked at. */
const objectCount = 50_000;
/** Turns of each server with each kind of write. */
const turnCount = 8;

/** What is asked for: our memory against the real one's. */
const goalRssRatio = 0.5;

async function createNamespaces(server: BenchServer): Promise<void> {
  const connection = await LightConnection.open(server);
  for (let serial = 0; serial < namespaceCount; serial += 1) {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespaceOf(serial) } };
    await connection.ask("POST", "/api/v1/namespaces", JSON.stringify(namespace));
  }
  connection.close();
}

function reportRss(servers: Sides<BenchServer>, counts: Sides<number>): void {
  const oursMib = servers.ours.readRssMib();
  const realMib = servers.real.readRssMib();
  report(`memory with ${counts.ours} objects`, {
    oursMib,
    realMib,
    realObjects: counts.real,
    ratio: oursMib / realMib,
    meetsGoal: counts.ours >= counts.real && oursMib / realMib <= goalRssRatio,
  });
}

/** The same updates as clients in Go send them: all over one connection. */
async function benchStreams({ ours, real }: Sides<BenchServer>, objectCount: number): Promise<void> {
  const sides = {
    ours: { server: ours, connections: await openStreams(ours, inFlight) },
    real: { server: real, connections: await openStreams(real, inFlight) },
  };
  const plan = updatePlan(configMaps, objectCount, turnCount / 2, objectCount * 500);
  await benchWrites(sides, { ...plan, what: `${plan.what} over one HTTP/2 connection` });
  for (const { connections } of [sides.ours, sides.real]) for (const connection of connections) connection.close();
}

async function benchBeside(servers: Sides<BenchServer>): Promise<void> {
  const { ours, real } = servers;
  for (const server of [ours, real]) await createNamespaces(server);
  const sides = {
    ours: { server: ours, connections: await openConnections(ours, inFlight) },
    real: { server: real, connections: await openConnections(real, inFlight) },
  };
  const created = await benchWrites(sides, createPlan(configMaps, { writeCount: objectCount, turnCount }));
  const counts = {
    ours: await fillUp(sides.ours, configMaps, { made: created.ours, wanted: objectCount }),
    real: await fillUp(sides.real, configMaps, { made: created.real, wanted: objectCount }),
  };
  reportRss(servers, counts);
  const updated = Math.min(counts.ours, counts.real);
  await benchWrites(sides, updatePlan(configMaps, updated, turnCount));
  await benchStreams(servers, updated);
  const made = await benchWrites(sides, createPlan(deployments, { writeCount: Number.POSITIVE_INFINITY, turnCount }));
  await benchWrites(sides, updatePlan(deployments, Math.min(made.ours, made.real), turnCount));
  const watched = {
    ours: { ...sides.ours, objectCount: updated },
    real: { ...sides.real, objectCount: updated },
  };
  // Far behind the updates above, so that each of these is a change.
  await benchWatches(watched, updated * 1000);
  for (const { connections } of [sides.ours, sides.real]) for (const connection of connections) connection.close();
}

const root = mkdtempSync(join(tmpdir(), "flotilla-bench-apiserver-"));
const makeFolder = (): string => mkdtempSync(join(root, "run-"));
try {
  {
    await using real = await startReal();
    await benchEmpty(makeFolder, { answeredMs: real.startMs, cpuMs: real.readCpuMs(), rssMib: real.readRssMib() });
    await using ours = await startOurs(makeFolder());
    await benchBeside({ ours, real });
  }
  await benchEncoding();
  await benchRestart(makeFolder);
} finally {
  rmSync(root, { recursive: true, force: true });
}
