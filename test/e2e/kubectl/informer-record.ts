// SPDX-License-Identifier: Apache-2.0
import { KubeConfig, type KubernetesObject, type ListWatch, type V1ConfigMap, Watch } from "@kubernetes/client-node";
import type { KubectlServer } from "./run-kubectl.ts";

/** A configuration of the client for one user of the server. */
export function clientConfig({ url, ca, tokens }: KubectlServer, user: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "tested", server: url, caData: Buffer.from(ca).toString("base64"), skipTLSVerify: false },
    { name: user, token: tokens.get(user) ?? "" },
  );
  return config;
}

/**
 * A watch that the server ends after a second, as it ends each after some time; the informer then goes on with another.
 */
export class ShortWatch extends Watch {
  /** The resourceVersion that each began at. */
  readonly begunAt: string[] = [];

  override watch(...[path, query, callback, done]: Parameters<Watch["watch"]>): ReturnType<Watch["watch"]> {
    this.begunAt.push(String(query["resourceVersion"]));
    return super.watch(path, { ...query, timeoutSeconds: 1 }, callback, done);
  }
}

/** What an informer tells, as words: `add one`. */
export class InformerRecord {
  readonly told: string[] = [];
  readonly #waiting = new Set<() => void>();

  /** Writes down what the informer tells of each object. */
  follow(informer: ListWatch<V1ConfigMap>): void {
    for (const verb of ["add", "update", "delete"] as const)
      informer.on(verb, (object: KubernetesObject) => this.#tell(`${verb} ${object.metadata?.name ?? ""}`));
    informer.on("error", (reason: unknown) => this.#tell(`error ${String(reason)}`));
  }

  /** Resolves when that was told. */
  async until(words: string): Promise<void> {
    while (!this.told.includes(words)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #tell(words: string): void {
    this.told.push(words);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
