// SPDX-License-Identifier: Apache-2.0
import { KubeError, type KubeFault } from "../../../kube/kube-error.ts";
import type { KubeAnswer, KubeRequest, KubeSource } from "../../../kube/kube-source.ts";

type Stored = { readonly metadata: { readonly resourceVersion?: string } } & Readonly<Record<string, unknown>>;

/** The Secrets of a namespace as an API server keeps them; the real one is asked in test/kubernetes. */
export class SecretServer implements KubeSource {
  readonly secrets = new Map<string, Stored>();
  readonly requests: KubeRequest[] = [];
  /** The next requests fail so, the newest last. */
  readonly faults: { readonly fault: KubeFault; readonly message?: string }[] = [];
  #version = 0;

  put(path: string, secret: Stored): Stored {
    this.#version += 1;
    const stored = { ...secret, metadata: { ...secret.metadata, resourceVersion: String(this.#version) } };
    this.secrets.set(path, stored);
    return stored;
  }

  request(request: KubeRequest): Promise<KubeAnswer> {
    this.requests.push(request);
    const failing = this.faults.shift();
    if (failing !== undefined) return refuse(failing.fault, failing.message ?? "a fault of the test");
    const { method, path } = request;
    const stored = this.secrets.get(path);
    if (method === "GET") return stored === undefined ? refuse("notFound", "not found") : answer(stored);
    const sent: unknown = JSON.parse(new TextDecoder().decode(request.body));
    if (!isStored(sent)) return refuse("refused", "no object");
    if (method === "POST") {
      const name = `${path}/${(sent.metadata as { name?: string }).name ?? ""}`;
      return this.secrets.has(name) ? refuse("conflict", "already exists") : answer(this.put(name, sent));
    }
    if (stored === undefined) return refuse("notFound", "not found");
    if (sent.metadata.resourceVersion !== stored.metadata.resourceVersion) return refuse("conflict", "modified");
    return answer(this.put(path, sent));
  }
}

function isStored(value: unknown): value is Stored {
  return typeof value === "object" && value !== null && "metadata" in value && typeof value.metadata === "object";
}

function refuse(fault: KubeFault, message: string): Promise<never> {
  return Promise.reject(new KubeError(fault, message));
}

function answer(value: unknown): Promise<KubeAnswer> {
  async function* body(): AsyncGenerator<Uint8Array, void> {
    yield new TextEncoder().encode(JSON.stringify(value));
  }
  return Promise.resolve({ status: 200, headers: new Map(), body: body() });
}
