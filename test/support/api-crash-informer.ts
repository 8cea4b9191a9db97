// SPDX-License-Identifier: Apache-2.0
import { request } from "node:https";
import type { KubeClient } from "../kubernetes/kube-client.ts";
import { type ConfigMap, collection } from "./api-crash-writer.ts";

interface WatchEvent {
  readonly type: string;
  readonly object: ConfigMap & { readonly code?: number };
}

export interface InformerServer {
  readonly url: string;
  /** PEM text. */
  readonly ca: string;
  readonly token: string;
}

/** Lists once and from then on only watches: across every kill it resumes at the last version that it was told. */
export class CrashInformer {
  readonly #selector: string;
  readonly #objects = new Map<string, string>();
  #revision = 0;
  #eventCount = 0;

  /** A label selector, percent-encoded; empty for everything. */
  constructor(selector: string) {
    this.#selector = selector;
  }

  get revision(): number {
    return this.#revision;
  }

  get eventCount(): number {
    return this.#eventCount;
  }

  /** Objects as `name@resourceVersion`, sorted. */
  get state(): readonly string[] {
    return [...this.#objects].map(([name, version]) => `${name}@${version}`).toSorted();
  }

  async list(client: KubeClient): Promise<void> {
    const answer = await client.ask("GET", `${collection}?labelSelector=${this.#selector}`);
    const { metadata, items } = answer as { metadata: { resourceVersion: string }; items: readonly ConfigMap[] };
    for (const { metadata: each } of items) this.#objects.set(each.name, each.resourceVersion);
    this.#revision = Number(metadata.resourceVersion);
  }

  /** Watches until the connection ends. Rejects where an event cannot be, among them 410. */
  watch({ url, ca, token }: InformerServer): Promise<void> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${this.#revision}&labelSelector=${this.#selector}`;
    return new Promise((done, fail) => {
      const call = request(`${url}${collection}?${query}`, {
        ca,
        agent: false,
        headers: { authorization: `Bearer ${token}` },
      });
      // A kill cuts the connection at any moment: what was told until then is what counts.
      call.once("error", () => done());
      call.once("response", (response) => {
        let pending = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          const lines = `${pending}${chunk}`.split("\n");
          pending = lines.pop() ?? "";
          try {
            for (const line of lines) this.#apply(JSON.parse(line) as WatchEvent);
          } catch (reason) {
            fail(reason instanceof Error ? reason : new Error(String(reason)));
            call.destroy();
          }
        });
        response.once("error", () => done());
        response.once("close", () => done());
      });
      call.end();
    });
  }

  #apply({ type, object }: WatchEvent): void {
    if (type === "ERROR") throw new Error(`the watch was refused: ${JSON.stringify(object)}`);
    const { name, resourceVersion } = object.metadata;
    const revision = Number(resourceVersion);
    if (revision < this.#revision || (revision === this.#revision && type !== "BOOKMARK"))
      throw new Error(`${type} of version ${revision} was told after ${this.#revision}`);
    this.#revision = revision;
    this.#eventCount += 1;
    if (type === "BOOKMARK") return;
    if (this.#objects.has(name) !== (type !== "ADDED")) throw new Error(`${type} of ${name} at ${revision}`);
    if (type === "DELETED") this.#objects.delete(name);
    else this.#objects.set(name, resourceVersion);
  }
}
