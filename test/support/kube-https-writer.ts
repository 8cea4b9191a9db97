// SPDX-License-Identifier: Apache-2.0
import { KubeClient, type KubeClientOptions } from "../kubernetes/kube-client.ts";

/** Writes ConfigMaps to a server over HTTPS, for tests of reading. Close it, or its connections stay. */
export class HttpsWriter {
  readonly #client: KubeClient;
  #writeCount = 0;
  #namespaceCount = 0;

  constructor(options: KubeClientOptions) {
    this.#client = new KubeClient(options);
  }

  /** The writing half of a subject of the contract of reading. */
  readonly subject = {
    /** Creates the ConfigMap, or changes it. */
    put: async (namespace: string, name: string): Promise<void> => {
      this.#writeCount += 1;
      const body = { metadata: { name }, data: { write: String(this.#writeCount) } };
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const { status } = await this.#client.send("POST", path, { body });
      if (status === 409) await this.#client.ask("PUT", `${path}/${name}`, { body });
      else if (status !== 201) throw new Error(`POST ${path} was answered ${status}`);
    },
    delete: async (namespace: string, name: string): Promise<void> => {
      await this.#client.ask("DELETE", `/api/v1/namespaces/${namespace}/configmaps/${name}`);
    },
    freshNamespaces: async (): Promise<readonly [string, string]> => {
      this.#namespaceCount += 1;
      const names = [`one-${this.#namespaceCount}`, `two-${this.#namespaceCount}`] as const;
      for (const name of names) await this.#client.ask("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
      return names;
    },
  };

  close(): void {
    this.#client.close();
  }
}
