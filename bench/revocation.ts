// SPDX-License-Identifier: Apache-2.0
// How soon a right that is taken away in a cluster hides rows at the hub, while rows change in this and other clusters.
// Goal: p99 <= 2 s in lists and open live views, beside a watch of the same API server and a client that polls.
// On kube-apiserver if the kit is built, else on the playground's API server. BENCH_REVOCATIONS, BENCH_DELTAS (a second).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WriteLoad } from "../test/kubernetes/access/write-load.ts";
import { findKit } from "../test/kubernetes/find-kit.ts";
import { KubeClient } from "../test/kubernetes/kube-client.ts";
import { allowJoin, startAgent } from "./agent/agent-process.ts";
import { type BenchServer, startOurs, startReal } from "./apiserver/servers.ts";
import { Drivers } from "./fleet/drivers.ts";
import { openObservers, pollEveryMs } from "./revocation/observers.ts";
import { type Revocation, RevokedUser } from "./revocation/revoked-user.ts";
import { BenchHub, untilTrue } from "./support/bench-hub.ts";
import { buildPackage } from "./support/built-package.ts";
import { MachineNoise } from "./support/machine-noise.ts";
import { quantile, reportPromise } from "./support/promise.ts";

const revocationCount = Number(process.env["BENCH_REVOCATIONS"] ?? 200);
const deltasPerSecond = Number(process.env["BENCH_DELTAS"] ?? 500);

/** Users whose rights change at the same time, each in a namespace of its own. */
const userCount = 4;

/** Clusters besides, which only send changes. */
const otherClusterCount = 20;

/** How long the other clusters change between two looks whether the bench is over. */
const changeMs = 5_000;

const clusterId = "revoking";
const root = mkdtempSync(join(tmpdir(), "flotilla-bench-revocation-"));

function writeKubeconfig({ port, ca, token }: BenchServer): string {
  const file = join(root, "kubeconfig");
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    "certificate-authority-data": Buffer.from(ca).toString("base64"),
  };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "bench", cluster }],
    users: [{ name: "bench", user: { token } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
    "current-context": "bench",
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

async function fill(admin: KubeClient): Promise<void> {
  for (const name of ["busy", ...Array.from({ length: userCount }, (_, at) => `shop-${at}`)]) {
    await admin.ask("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
    if (name === "busy") continue;
    for (let at = 0; at < 50; at += 1)
      await admin.ask("POST", `/api/v1/namespaces/${name}/configmaps`, { body: { metadata: { name: `item-${at}` } } });
  }
}

async function changeUntil(drivers: Drivers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await drivers.change((1_000 * otherClusterCount) / deltasPerSecond, changeMs);
}

function report(all: readonly Revocation[], on: string, more: Readonly<Record<string, number>>): void {
  const sorted = (part: keyof Revocation): readonly number[] =>
    all.flatMap((each) => each[part] ?? []).toSorted((a, b) => a - b);
  const watched = quantile(sorted("watchMs"), 0.99);
  const polled = quantile(sorted("pollMs"), 0.99);
  for (const [part, place] of [
    ["listMs", "a list"],
    ["viewMs", "an open live view"],
  ] as const) {
    const times = sorted(part);
    const p99 = quantile(times, 0.99);
    const what = `right taken away -> ${place} without its rows, p99`;
    const watchP50Ms = quantile(sorted("watchMs"), 0.5);
    const beside = {
      p50Ms: quantile(times, 0.5),
      watchP50Ms,
      maxMs: times.at(-1) ?? 0,
      count: times.length,
      on,
      ...more,
    };
    const figure = { bench: "revocation", what, ours: p99, unit: "ms" };
    reportPromise({ ...figure, against: { kind: "atMost", value: 2_000 }, more: beside });
    reportPromise({ ...figure, against: { kind: "peer", name: "the event in a plain watch", value: watched } });
    if (!Number.isNaN(polled))
      reportPromise({ ...figure, against: { kind: "peer", name: `a review every ${pollEveryMs} ms`, value: polled } });
  }
}

async function measure(server: BenchServer, on: string): Promise<void> {
  const program = await buildPackage(root);
  mkdirSync(join(root, "hub-files"));
  await using hub = new BenchHub(program, join(root, "hub-files"));
  await hub.start();
  const { port, ca, token } = server;
  const admin = new KubeClient({ url: `https://127.0.0.1:${port}`, ca, token, connectionCount: 32 });
  await fill(admin);
  const place = { program, folder: root, hub, hubPort: hub.port, kubeconfig: writeKubeconfig(server), clusterId };
  await allowJoin(place);
  await using agent = startAgent(place);
  await agent.untilSays("session with the hub is live");
  await untilTrue("the first sync", async () => (await hub.cluster(clusterId)).connection?.state === "live");
  await using drivers = await Drivers.start(hub, { agentCount: otherClusterCount, appCount: 100, firstNumber: 1_000 });
  const over = new AbortController();
  const observers = await openObservers(server, admin, over.signal);
  const logins = await Promise.all(
    Array.from({ length: userCount }, (_, at) => hub.logIn(`user-${at}`, ["flotilla:viewers", `team-${at}`])),
  );
  const users = logins.map(
    (login, at) =>
      new RevokedUser(login, { admin, namespace: `shop-${at}`, user: `user-${at}`, group: `team-${at}` }, observers),
  );
  const changing = changeUntil(drivers, over.signal);
  const load = await WriteLoad.start(admin, "busy");
  const noise = new MachineNoise();
  const startedMs = performance.now();
  const { cpuMs } = hub;
  const lanes = users.map(async (user) => {
    const own: Revocation[] = [];
    while (own.length < revocationCount / userCount) own.push(await user.revoke());
    return own;
  });
  const all = (await Promise.all(lanes)).flat();
  const tookMs = performance.now() - startedMs;
  const hubCpuPercent = (100 * (hub.cpuMs - cpuMs)) / tookMs;
  const writesPerSecond = (1_000 * (await load.stop())) / tookMs;
  report(all, on, { deltasPerSecond, writesPerSecond, hubCpuPercent, ...noise.stop() });
  for (const user of users) await user.close();
  for (const login of logins) login.close();
  over.abort(new Error("the bench is over"));
  await changing;
  admin.close();
}

try {
  const isReal = findKit() !== undefined;
  await using server = isReal ? await startReal() : await startOurs(root);
  await measure(server, isReal ? "kube-apiserver" : "the playground's API server");
} finally {
  rmSync(root, { recursive: true, force: true });
}
