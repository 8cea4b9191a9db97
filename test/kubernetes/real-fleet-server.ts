// SPDX-License-Identifier: Apache-2.0
// The kube-apiserver of a running cluster, stopped and begun anew while everything around it goes on.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { awaitReady } from "./await-ready.ts";
import type { KubernetesKit } from "./find-kit.ts";
import { KitProcess } from "./kit-process.ts";
import type { KubernetesCluster } from "./start-cluster.ts";

/** How long one that was begun here may take to end when asked; as for a cluster's own programs. */
const stopLimitMs = 5_000;

/** Takes over the API server of a cluster. Close it before the cluster is stopped, or the one that it began stays. */
export class ServerSwitch {
  readonly #cluster: KubernetesCluster;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #closed: Promise<void>;
  #pid: number;
  #begun: KitProcess | undefined;

  constructor(cluster: KubernetesCluster, kit: KubernetesKit) {
    const server = cluster.programs.find(({ name }) => name === "kube-apiserver");
    if (server === undefined) throw new Error("the cluster has no kube-apiserver");
    this.#cluster = cluster;
    this.#pid = server.pid;
    this.#closed = server.closed;
    this.#program = kit.kubeApiserver;
    const words = execFileSync("ps", ["-ww", "-o", "args=", "-p", String(this.#pid)], { encoding: "utf8" });
    this.#args = words.trim().split(/\s+/).slice(1);
  }

  /** Stops it where it is, with every connection open, or lets it go on. */
  send(signal: "SIGSTOP" | "SIGCONT"): void {
    process.kill(this.#pid, signal);
  }

  /** Ends it in good order and waits until it is gone: when its watchers have left, or after a minute. */
  async end(): Promise<void> {
    if (this.#begun !== undefined) {
      await this.#begun.stop(systemClock, stopLimitMs);
      this.#begun = undefined;
      return;
    }
    process.kill(this.#pid, "SIGTERM");
    await this.#closed;
  }

  /** Begins it anew as it was begun first, on the same port and etcd, and waits until it is ready. */
  async begin(): Promise<void> {
    const folder = dirname(this.#cluster.kubeconfigFile);
    const begun = new KitProcess(this.#program, this.#args, folder);
    this.#begun = begun;
    this.#pid = begun.pid;
    await awaitReady({
      process: begun,
      url: `${this.#cluster.url}/readyz`,
      ca: readFileSync(this.#cluster.caFile, "utf8"),
      clock: systemClock,
      signal: new AbortController().signal,
    });
  }

  /**
   * Ends what was begun here, and the cluster, whose own server has ended before its time; anything else that ended is
   * a failure.
   */
  async close(): Promise<void> {
    const hadBegun = this.#begun !== undefined;
    await this.#begun?.stop(systemClock, stopLimitMs);
    await this.#cluster.stop().catch((reason: unknown) => {
      const isExpected =
        hadBegun && reason instanceof Error && !/^(?!kube-apiserver )\S+ (ended|was ended)/m.test(reason.message);
      if (!isExpected) throw reason;
    });
  }
}
