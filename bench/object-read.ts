// SPDX-License-Identifier: Apache-2.0
// What it takes to read one object of a cluster through hub and agent (docs/spec/tunnel.md), beside a GET to the same
// API server with the same rights. BENCH_READS: how many of each.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@connectrpc/connect";
import { root } from "../scripts/project.ts";
import { systemRandom } from "../src/base/system-random.ts";
import { systemClock } from "../src/base/time/system-clock.ts";
import type { RunFile } from "../src/cli/run-file.ts";
import { ClusterService } from "../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { QueryService } from "../src/gen/flotilla/query/v1/query_pb.ts";
import { connectCluster } from "../src/kube/connect-cluster.ts";
import { kubeconfigAccess } from "../src/kube/credentials/load-kubeconfig.ts";
import { createHubTransport } from "../src/rpc/client/client.ts";
import { FlotillaProcess } from "./support/flotilla-process.ts";
import { quantile, reportPromise } from "./support/promise.ts";

const readCount = Number(process.env["BENCH_READS"] ?? 500);

/** Reads before the first that counts: connections are open then, and code is compiled. */
const warmUpCount = 50;

const folder = mkdtempSync(join(tmpdir(), "flotilla-bench-"));
const words = ["up", "--data-dir", folder, "--port", "0", "--http-port", "0", "--clusters", "1", "--no-open"];
await using up = new FlotillaProcess({ args: [join(root, "src/main/flotilla.ts"), ...words], cwd: root });
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
await up.untilSays("Flotilla is ready");
const run = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as RunFile;
const cluster = run.clusters[0]?.id ?? "";

const token = readFileSync(run.adminTokenFile, "utf8").trim();
const transport = createHubTransport({
  url: run.hubUrl,
  caFile: run.caFile,
  token,
  clock: systemClock,
  random: systemRandom,
});
const hub = createClient(QueryService, transport);
const reread = kubeconfigAccess({ file: run.kubeconfig, environment: {} }, cluster);
await using direct = connectCluster({
  access: await reread(),
  clock: systemClock,
  userAgent: "bench",
  environment: {},
});

await untilLive(createClient(ClusterService, transport), cluster);

/** A workload that every playground cluster has: some 2 kB. */
const wanted = { cluster, kind: "deployments", namespace: "shop", name: "storefront" };
const path = `/apis/apps/v1/namespaces/${wanted.namespace}/deployments/${wanted.name}`;

/** Resolves when the hub shows the cluster as live. */
async function untilLive(clusters: Client<typeof ClusterService>, id: string): Promise<void> {
  for await (const { cluster: changed } of clusters.watchClusters({}))
    if (changed?.id === id && changed.connection?.state === "live") return;
}

async function readDirectly(): Promise<number> {
  const answer = await direct.request({ method: "GET", path, deadlineMs: 10_000 }, AbortSignal.timeout(10_000));
  let byteCount = 0;
  for await (const bytes of answer.body) byteCount += bytes.length;
  return byteCount;
}

/**
 * Milliseconds of each read, in order of their length, the two taken in turns so that the machine is the same to both.
 */
const [throughHub, directly]: [number[], number[]] = [[], []];
let byteCount = 0;
for (let at = -warmUpCount; at < readCount; at += 1) {
  const startedMs = performance.now();
  await hub.getObject(wanted);
  const betweenMs = performance.now();
  byteCount = await readDirectly();
  if (at < 0) continue;
  throughHub.push(betweenMs - startedMs);
  directly.push(performance.now() - betweenMs);
}
transport.close();
throughHub.sort((a, b) => a - b);
directly.sort((a, b) => a - b);
for (const [name, part] of [
  ["p50", 0.5],
  ["p99", 0.99],
] as const) {
  reportPromise({
    bench: "object-read",
    what: `an object through hub and agent, ${name}`,
    ours: quantile(throughHub, part),
    unit: "ms",
    against: { kind: "peer", name: "GET to the API server", value: quantile(directly, part) },
    more: { readCount, byteCount },
  });
}
