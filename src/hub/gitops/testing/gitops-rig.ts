// SPDX-License-Identifier: Apache-2.0
// A collector over a simulated management cluster and a fleet in memory, under a manual clock.
import { SimApiServer } from "../../../../test/support/sim/sim-api-server.ts";
import { untilAborted } from "../../../base/abort.ts";
import { FlotillaError } from "../../../base/error.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { settle } from "../../../base/testing/manual-clock.ts";
import { KubeError } from "../../../kube/kube-error.ts";
import { startFleet, type TestFleet } from "../../fleet/testing/test-fleet.ts";
import { ClusterImports } from "../../imports/cluster-imports.ts";
import type { ClusterProbe } from "../../imports/probe-cluster.ts";
import { GitopsCollector, type GitopsCollectorOptions } from "../gitops-collector.ts";
import { gitopsClusters } from "../gitops-leaf.ts";
import { createLeafGauge } from "../leaf-statuses.ts";

const declared = { ...gitopsClusters, kind: "GitopsCluster", isNamespaced: true };
const secrets = { group: "", version: "v1", resource: "secrets", kind: "Secret", isNamespaced: true };
const namespaces = { group: "", version: "v1", resource: "namespaces", kind: "Namespace", isNamespaced: false };

/** A kubeconfig of a cluster by its host; the token decides how the probe is answered. */
export function leafKubeconfig(
  host: string,
  token: string,
  user: Readonly<Record<string, unknown>> = { token },
): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server: `https://${host}:6443` } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "admin", context: { cluster: "c", user: "u" } }],
  });
}

/** Answers by the token: `refused`, `down`, `hanging`, and success for any other. The uid follows from the host. */
const probe: ClusterProbe = async ({ server, user: { token } }, signal) => {
  if (token === "hanging") await untilAborted(signal);
  if (token === "down") {
    const cause = new KubeError("tcp", "the connection was refused");
    throw new FlotillaError("UNAVAILABLE", "it does not answer", { cause });
  }
  if (token === "refused") {
    const cause = new KubeError("unauthorized", "the token is not known");
    throw new FlotillaError("INVALID_ARGUMENT", "it refuses the credential", { cause });
  }
  return { uid: `uid-of-${server.hostname}`, kubernetesVersion: "v1.36.3" };
};

/** The time between two reads of a Secret. */
export const intervalMs = 10_000;

export class GitopsRig {
  readonly hub: TestFleet;
  readonly imports: ClusterImports;
  /** The management cluster behind the address. */
  server: SimApiServer;
  collector: GitopsCollector;
  readonly #options: GitopsCollectorOptions;
  #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  private constructor(hub: TestFleet, options: Partial<GitopsCollectorOptions>) {
    const { store, audit, fleet, clock, metrics } = hub;
    const [random, log] = [createSeededRandom("gitops"), silentLogger];
    const { clusters: registry } = fleet;
    this.hub = hub;
    this.imports = new ClusterImports({ store, audit, registry, probe, allowsLoopback: false, clock, random, log });
    this.server = this.createServer(1);
    this.#options = {
      imports: this.imports,
      clusters: registry,
      removeCluster: (id, by) => fleet.removeCluster(id, by),
      connect: () =>
        Promise.resolve({
          request: (request, signal) => this.server.request(request, signal),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        }),
      namespaces: [],
      intervalMs,
      clock,
      random,
      log,
      counts: createLeafGauge(metrics),
      ...options,
    };
    this.collector = new GitopsCollector(this.#options);
  }

  static async open(options: Partial<GitopsCollectorOptions> = {}): Promise<GitopsRig> {
    await import("yaml"); // loaded by the first kubeconfig, in real time
    return new GitopsRig(await startFleet(), options);
  }

  /** A management cluster. Its kube-system namespace is the object of this number, and has that uid: `uid-1`. */
  createServer(number: number): SimApiServer {
    const { clock } = this.hub;
    const server = new SimApiServer({ clock, random: createSeededRandom(number) });
    for (const resource of [declared, secrets, namespaces]) server.serve(resource);
    for (let at = 1; at < number; at += 1) server.put(namespaces, { metadata: { name: `earlier-${at}` } });
    server.put(namespaces, { metadata: { name: "kube-system" } });
    return server;
  }

  start(): void {
    this.#stop = new AbortController();
    this.#running = this.collector.run(this.#stop.signal).catch((reason: unknown) => reason);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("enough"));
    await this.#running;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.hub.stop();
  }

  /** Lets the collector do what it can within this time; by default all that does not wait for the next interval. */
  async pass(ms = 1_000): Promise<void> {
    await this.hub.clock.advance(ms);
    await settle();
  }

  declare(
    name: string,
    spec: Readonly<Record<string, unknown>> = { secretRef: { name } },
    namespace = "default",
  ): void {
    this.server.put(declared, { metadata: { name, namespace }, spec });
  }

  undeclare(name: string, namespace = "default"): void {
    this.server.delete(declared, namespace, name);
  }

  writeSecret(name: string, text: string, key = "value", namespace = "default"): void {
    const data = { [key]: Buffer.from(text).toString("base64") };
    this.server.put(secrets, { metadata: { name, namespace }, data });
  }

  /** `STATE CLUSTER` of each object, by its name. */
  get states(): Readonly<Record<string, string>> {
    const statuses = this.collector.list().map(({ object, state, clusterId }) => [object, `${state} ${clusterId}`]);
    return Object.fromEntries(statuses) as Record<string, string>;
  }

  reasonOf(object: string): string {
    return this.collector.list().find((status) => status.object === object)?.reason ?? "";
  }

  /** The ids of all registered clusters. */
  get ids(): readonly string[] {
    return this.hub.fleet.clusters
      .list()
      .map(({ id }) => id)
      .sort();
  }
}
