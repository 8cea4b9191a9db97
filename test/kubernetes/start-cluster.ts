// SPDX-License-Identifier: Apache-2.0
// A real Kubernetes cluster for one test: its own processes, ports and folder, all gone when disposed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { throwIfAborted } from "../../src/base/abort.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { awaitObject, awaitReady, ProgramEnded } from "./await-ready.ts";
import { adminUser, type ClusterFiles, type ClusterUser, writeClusterFiles } from "./cluster-files.ts";
import {
  apiserverProgram,
  type ClusterPorts,
  type ClusterProgram,
  controllerPrograms,
  type EtcdDurability,
  etcdProgram,
  kwokProgram,
} from "./cluster-programs.ts";
import { findKit, type KubernetesKit } from "./find-kit.ts";
import { findFreePorts } from "./free-ports.ts";
import { KitProcess } from "./kit-process.ts";
import { KubeClient } from "./kube-client.ts";
import { kwokNode } from "./kwok-node.ts";

/**
 * How long a program may take to end when asked; kube-apiserver waits for open requests, and a test has none that
 * matter.
 */
const stopLimitMs = 5_000;

/**
 * Starts before giving up. Another test run may draw one of the same ports before its program opens it, which is rare;
 * the program then ends.
 */
const startCount = 3;

/** What a cluster is made of. */
export interface ClusterOptions {
  /** Default: the one that `findKit` finds. */
  readonly kit?: KubernetesKit;
  /** Users besides the admin. */
  readonly users?: readonly ClusterUser[];
  /** Adds kube-controller-manager and kube-scheduler: Deployments become Pods, namespaces get their service account. */
  readonly controllers?: boolean;
  /** Adds kwok and one Node with room for 5,000 Pods; with `controllers` Pods become ready and get addresses. */
  readonly kwok?: boolean;
  /** Default `memorySpeed`. */
  readonly durability?: EtcdDurability;
  /** Further flags of kube-apiserver. */
  readonly apiserverFlags?: readonly string[];
  readonly clock?: Clock;
}

/** A cluster that answers. Dispose it, or its processes stay. */
export interface KubernetesCluster extends AsyncDisposable {
  readonly url: string;
  /** PEM file of the certificate authority of the server. */
  readonly caFile: string;
  /** One context for each user, named as the user; the admin's is the current one. */
  readonly kubeconfigFile: string;
  /** As the server tells it: `v1.36.3`. */
  readonly version: string;
  /** What runs, in the order of starting; `closed` resolves when it has ended. */
  readonly programs: readonly Pick<KitProcess, "name" | "pid" | "closed">[];
  /** The token of a user; throws if the cluster does not have that user. */
  tokenOf(user: string): string;
  /** A client that speaks as this user (default: the admin); closed with the cluster. */
  connect(user?: string, connectionCount?: number): KubeClient;
  /** A client that shows this token, whatever it is worth; closed with the cluster. */
  connectWith(token: string): KubeClient;
  /** Ends every process, waits for it and removes every file. Rejects if one had ended by itself before. */
  stop(): Promise<void>;
}

/** The processes and files of a cluster that may be only half started. */
class ClusterParts {
  readonly folder = mkdtempSync(join(tmpdir(), "flotilla-kubernetes-"));
  readonly processes: KitProcess[] = [];
  readonly clients: KubeClient[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Starts the programs and waits until each says that it is ready. The first that fails ends the waiting for the
   * others.
   */
  async start(programs: readonly ClusterProgram[], ca: string): Promise<void> {
    const awaited = programs.map(({ program, args, readyUrl }) => {
      const process = new KitProcess(program, args, this.folder);
      this.processes.push(process);
      return { process, url: readyUrl, ca, clock: this.#clock };
    });
    const failing = new AbortController();
    await Promise.allSettled(
      awaited.map((readiness) =>
        awaitReady({ ...readiness, signal: failing.signal }).catch((reason: unknown) => failing.abort(reason)),
      ),
    );
    throwIfAborted(failing.signal);
  }

  /**
   * Ends what was started, the newest first, so that nothing loses what it stands on; then says what had failed before.
   */
  async stop(): Promise<readonly string[]> {
    const processes = this.processes.splice(0);
    for (const client of this.clients.splice(0)) client.close();
    // Without etcd a server that is asked to end waits for it in vain.
    const limitMs = processes.some(({ hasEnded }) => hasEnded) ? 0 : stopLimitMs;
    for (const process of processes.toReversed()) await process.stop(this.#clock, limitMs);
    rmSync(this.folder, { recursive: true, force: true });
    return processes.flatMap(({ failure }) => failure ?? []);
  }
}

async function choosePorts(): Promise<ClusterPorts> {
  const [apiserver = 0, etcdClient = 0, etcdPeer = 0, manager = 0, scheduler = 0, kwok = 0] = await findFreePorts(6);
  return { apiserver, etcdClient, etcdPeer, manager, scheduler, kwok };
}

/** The programs that run on top of the API server. */
function programsOnTop(
  kit: KubernetesKit,
  options: ClusterOptions,
  files: ClusterFiles,
  ports: ClusterPorts,
): readonly ClusterProgram[] {
  const programs: ClusterProgram[] = [];
  if (options.controllers === true && kit.controllers !== undefined) {
    programs.push(...controllerPrograms(kit.controllers, files, ports));
  }
  if (options.kwok === true && kit.kwok !== undefined) programs.push(kwokProgram(kit.kwok, files, ports));
  return programs;
}

async function startParts(
  parts: ClusterParts,
  kit: KubernetesKit,
  options: ClusterOptions,
  clock: Clock,
): Promise<ClusterFiles & { readonly url: string }> {
  const ports = await choosePorts();
  const files = writeClusterFiles(parts.folder, ports.apiserver, options.users ?? [], clock.wallMs());
  const url = `https://127.0.0.1:${ports.apiserver}`;
  // kube-apiserver waits for etcd by itself, so both start at once.
  const server = apiserverProgram(kit, files, ports, options.apiserverFlags ?? []);
  await parts.start([etcdProgram(kit, files, ports, options.durability ?? "memorySpeed"), server], files.ca);
  await parts.start(programsOnTop(kit, options, files, ports), files.ca);
  return { ...files, url };
}

async function startOnce(kit: KubernetesKit, options: ClusterOptions, clock: Clock): Promise<KubernetesCluster> {
  const parts = new ClusterParts(clock);
  const connectTo = (url: string, ca: string, token: string, connectionCount?: number): KubeClient => {
    const client = new KubeClient({ url, ca, token, ...(connectionCount === undefined ? {} : { connectionCount }) });
    parts.clients.push(client);
    return client;
  };
  try {
    const { url, ca, caFile, kubeconfigFile, users } = await startParts(parts, kit, options, clock);
    const tokenOf = (name: string): string => {
      const user = users.find((each) => each.name === name);
      if (user === undefined) throw new Error(`the cluster was started without a user ${JSON.stringify(name)}`);
      return user.token;
    };
    const admin = connectTo(url, ca, tokenOf(adminUser.name));
    if (options.kwok === true) await admin.ask("POST", "/api/v1/nodes", { body: kwokNode("kwok-1") });
    await awaitObject(admin, "/api/v1/namespaces/default", clock);
    if (options.controllers === true) {
      await awaitObject(admin, "/api/v1/namespaces/default/serviceaccounts/default", clock);
    }
    const version = readVersion(await admin.ask("GET", "/version"));
    const stop = async (): Promise<void> => {
      const failures = await parts.stop();
      if (failures.length > 0) throw new Error(failures.join("\n"));
    };
    return {
      url,
      caFile,
      kubeconfigFile,
      version,
      programs: [...parts.processes],
      tokenOf,
      connect: (user = adminUser.name, connectionCount) => connectTo(url, ca, tokenOf(user), connectionCount),
      connectWith: (token) => connectTo(url, ca, token),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (reason) {
    await parts.stop();
    throw reason;
  }
}

function readVersion(body: unknown): string {
  const hasVersion = typeof body === "object" && body !== null && "gitVersion" in body;
  if (!hasVersion || typeof body.gitVersion !== "string") throw new Error("/version does not tell a gitVersion");
  return body.gitVersion;
}

/**
 * Starts a cluster on free loopback ports and waits until all of it is ready: the namespace `default` is there, and
 * with controllers its service account, without which no Pod can be made. Rejects with the end of a program's output if
 * that program ends instead, or does not become ready in time; then nothing is left behind.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<KubernetesCluster> {
  const { kit = findKit(), clock = systemClock } = options;
  if (kit === undefined) throw new Error("the Kubernetes kit is not built; run `npm run kubernetes`");
  for (const need of ["controllers", "kwok"] as const) {
    if (options[need] === true && kit[need] === undefined) throw new Error(`the Kubernetes kit has no ${need}`);
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(kit, options, clock);
    } catch (reason) {
      if (attempt === startCount || !(reason instanceof ProgramEnded)) throw reason;
    }
  }
}
