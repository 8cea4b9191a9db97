// SPDX-License-Identifier: Apache-2.0
import type { KubeClient } from "../kube-client.ts";

/** On every object of the load. */
const loadLabel = "flotilla.dev/test-load";

/** Objects that are changed in turn, and writes under way at once. */
const objectCount = 40;
const laneCount = 4;

/** Changes ConfigMaps of a namespace as fast as the API server takes it, until it is stopped. */
export class WriteLoad {
  readonly #admin: KubeClient;
  readonly #path: string;
  readonly #lanes: Promise<void>;
  #isStopping = false;
  #writeCount = 0;

  private constructor(admin: KubeClient, path: string) {
    this.#admin = admin;
    this.#path = path;
    const run = async (lane: number): Promise<void> => {
      for (let at = lane; !this.#isStopping; at += laneCount) {
        const body = loadObject(at % objectCount, at);
        await admin.ask("PUT", `${path}/${body.metadata.name}`, { body });
        this.#writeCount += 1;
      }
    };
    this.#lanes = Promise.all(Array.from({ length: laneCount }, (_, lane) => run(lane))).then(() => undefined);
    this.#lanes.catch(() => undefined); // `stop` rejects with it
  }

  static async start(admin: KubeClient, namespace: string): Promise<WriteLoad> {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    for (let at = 0; at < objectCount; at += 1) await admin.ask("POST", path, { body: loadObject(at, 0) });
    return new WriteLoad(admin, path);
  }

  /** Ends it and deletes its objects; the number of writes. Rejects if one was refused. */
  async stop(): Promise<number> {
    this.#isStopping = true;
    await this.#lanes;
    await this.#admin.ask("DELETE", `${this.#path}?labelSelector=${encodeURIComponent(loadLabel)}`);
    return this.#writeCount;
  }
}

function loadObject(number: number, version: number) {
  return { metadata: { name: `load-${number}`, labels: { [loadLabel]: String(version) } } };
}
