// SPDX-License-Identifier: Apache-2.0
// Entry of a process that plays many agents: their own session code over TLS, on generated rows. Argument: the plan as
// JSON.
import { once } from "node:events";
import { KindReportStore } from "../../src/agent/collector/kind-report-store.ts";
import { runUplink } from "../../src/agent/uplink/run-uplink.ts";
import type { UplinkStatus } from "../../src/agent/uplink/uplink-status.ts";
import { silentLogger } from "../../src/base/log.ts";
import { systemRandom as random } from "../../src/base/system-random.ts";
import { silentMetrics } from "../../src/base/testing/silent-metrics.ts";
import { systemClock as clock } from "../../src/base/time/system-clock.ts";
import { KindState } from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { rbacKinds } from "../../src/kinds/core-kinds.ts";
import { createJoinPort } from "../../src/main/agent/agent-identity.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { resourceIdText } from "../../src/model/gvr.ts";
import { createHasher } from "../../src/model/rows/hasher.ts";
import { createAgentKey } from "../../src/rpc/auth/ed25519.ts";
import { createHubTransport } from "../../src/rpc/client/client.ts";
import { zstdCodec as codec } from "../../src/rpc/client/zstd-codec.ts";
import { createSessionTransport } from "../../src/rpc/session/session-transport.ts";
import type { RowTable } from "../../src/session/agent/row-table.ts";
import { createFleetRows } from "../support/fleet-rows.ts";
import {
  changePrefix,
  type DriverNews,
  type DriverOrder,
  type DriverPlan,
  reconnectStableMs,
  sharedNowMs,
} from "./driver-messages.ts";
import { fillTable } from "./first-sync-flushes.ts";

const plan = JSON.parse(process.argv[2] ?? "") as DriverPlan;
const hasher = await createHasher();
const rbac = rbacKinds.map(({ resource, kind, columns }) => ({ resource, kind, columns, rows: [], deletes: [] }));
const contents = [...rbac, ...createFleetRows(hasher, plan.appCount)];
const metadata = { region: plan.region, environment: "bench", version: "1", kubernetesVersion: "v1.36.3", labels: {} };
const say = (news: DriverNews): void => void process.send?.(news);

/** Agents that have a live session now. */
const live = new Set<string>();
let dialCount = 0;
const leaving = new AbortController();

/** One agent's cluster, and its session for as long as the process runs. */
class DrivenAgent {
  readonly #id: string;
  readonly #table: RowTable;
  readonly #reports = new KindReportStore(clock);
  readonly #key = createAgentKey();

  constructor(id: string) {
    this.#id = id;
    this.#table = fillTable(parseClusterId(id), contents, hasher);
    for (const { resource } of contents) {
      const text = resourceIdText(resource);
      this.#reports.write(text, { state: KindState.WATCHING, version: "v1", currentAtMs: clock.nowMs() });
    }
  }

  async join(join: ReturnType<typeof createJoinPort>): Promise<void> {
    const { publicKey } = this.#key;
    const wish = { joinToken: plan.joinToken, clusterId: this.#id, publicKey, clusterUid: this.#id, metadata };
    await join(wish, leaving.signal);
  }

  run(): Promise<void> {
    const { url, ca, hubName } = plan;
    return runUplink(
      {
        clock,
        random,
        transport: createSessionTransport({
          url,
          ca,
          clock,
          connectTimeoutMs: 10_000,
          maxMessageBytes: 4 * 1024 * 1024,
        }),
        codec,
        hasher,
        signer: this.#key,
        log: silentLogger,
        metrics: silentMetrics,
        identity: {
          clusterId: this.#id,
          shard: "",
          clusterUid: this.#id,
          agentVersion: "bench",
          metadata,
          includedNamespaces: [],
          excludedNamespaces: [],
        },
        rows: this.#table,
        kindReports: this.#reports,
        apiServer: () => ({ fault: "", sinceMs: 0, error: "", attemptCount: 0, retryAtMs: undefined }),
        // The agent's defaults.
        session: { hubName, syncIntervalMs: 30_000, minFlushIntervalMs: 100, maxFlushIntervalMs: 1_000 },
        reconnect: { firstMs: 500, factor: 2, capMs: 30_000, stableMs: reconnectStableMs },
        dialTimeoutMs: 10_000,
        onStatus: ({ state }) => this.#note(state),
        onConfig: () => undefined,
      },
      leaving.signal,
    );
  }

  /** A new Pod whose name is the time. */
  change(): void {
    const pods = this.#table.getKind("pods");
    const row = contents.at(-3)?.rows[0];
    if (pods === undefined || row === undefined) throw new Error("there is no row to begin with");
    pods.upsert({ ...row, name: `${changePrefix}${sharedNowMs().toFixed(3)}`, uid: crypto.randomUUID() });
  }

  #note(state: UplinkStatus["state"]): void {
    const isDialling = state === "dialling";
    const isLive = state === "live";
    if (!isDialling && live.has(this.#id) === isLive) return;
    if (isDialling) dialCount += 1;
    if (isLive) live.add(this.#id);
    else live.delete(this.#id);
    say({ kind: "live", count: live.size, dialCount });
  }
}

async function makeChanges(agents: readonly DrivenAgent[], everyMs: number, forMs: number): Promise<void> {
  const untilMs = clock.nowMs() + forMs;
  const counts = agents.map(async (agent) => {
    let count = 0;
    for (;;) {
      await clock.sleep(2 * everyMs * random.next(), leaving.signal);
      if (clock.nowMs() > untilMs) return count;
      agent.change();
      count += 1;
    }
  });
  say({ kind: "changed", count: (await Promise.all(counts)).reduce((sum, count) => sum + count, 0) });
}

const agents = Array.from(
  { length: plan.agentCount },
  (_, at) => new DrivenAgent(`${plan.namePrefix}${plan.firstNumber + at}`),
);
// Whoever started it is gone: so is the reason to run.
process.once("disconnect", () => process.exit(0));
const transport = createHubTransport({ url: plan.url, ca: plan.ca, clock, random, unaryTimeoutMs: 60_000 });
const running: Promise<void>[] = [];
for (const agent of agents) {
  await agent.join(createJoinPort(transport));
  running.push(agent.run());
}
transport.close();
process.on("message", (order: DriverOrder) => {
  if (order.kind === "change") void makeChanges(agents, order.everyMs, order.forMs);
  else leaving.abort(new Error("the bench is over"));
});
await Promise.all(running);
say({ kind: "left" });
if (process.connected) await once(process, "disconnect");
