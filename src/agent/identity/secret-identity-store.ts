// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { textMapOf } from "../../kinds/fields.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { type KubeFields, type KubeObjectRef, ObjectClient } from "../../kube/object-client.ts";
import { hideFromError } from "./hide-from-error.ts";
import { type AgentIdentityRecord, fromParts, type IdentityStore, isPartName, toParts } from "./identity-record.ts";

/** The Secret that holds the agent's key. The manifest's Role grants access to this name. */
export const agentKeySecretName = "flotilla-agent-key";

/** Kubernetes limits a Secret to 1 MiB, and base64 adds a third. */
const maxBodyBytes = 2 * 1024 * 1024;

export interface SecretIdentityStoreOptions {
  readonly source: KubeSource;
  /** The agent's own namespace. */
  readonly namespace: string;
  /** Default `flotilla-agent-key`. */
  readonly name?: string;
  readonly requestTimeoutMs: number;
}

/**
 * Keeps the record in a Secret of the agent's namespace, so that it outlives the Pod and its node. A missing Secret is
 * created. An existing one is updated with the resourceVersion that was last read, and keeps its other keys. Request
 * failures are UNAVAILABLE with the API server's message, because they can be fixed from outside.
 */
export class SecretIdentityStore implements IdentityStore {
  readonly #client: ObjectClient;
  readonly #secret: KubeObjectRef & { readonly namespace: string };
  readonly #where: string;
  /** The Secret as last read or written; undefined if there was none. */
  #seen: KubeFields | undefined;

  constructor({ namespace, name = agentKeySecretName, ...options }: SecretIdentityStoreOptions) {
    this.#client = new ObjectClient({ ...options, maxBodyBytes });
    this.#secret = { resource: { group: "", version: "v1", resource: "secrets" }, namespace, name };
    this.#where = `the Secret ${namespace}/${name}`;
  }

  async load(signal: AbortSignal): Promise<AgentIdentityRecord | undefined> {
    const outcome = await this.#client.get(this.#secret, signal).catch((reason: unknown) => {
      throw reason instanceof KubeError ? this.#unavailable("read", reason, []) : reason;
    });
    if (outcome.kind === "conflict") throw this.#unavailable("read", outcome.error, []);
    this.#seen = outcome.kind === "ok" ? outcome.object : undefined;
    if (outcome.kind === "notFound") return undefined;
    const parts = new Map<string, string>();
    for (const [name, text] of textMapOf(this.#seen, "data")) {
      if (isPartName(name)) parts.set(name, Buffer.from(text, "base64").toString("utf8"));
    }
    return fromParts(parts, this.#where);
  }

  async save(record: AgentIdentityRecord, signal: AbortSignal): Promise<void> {
    const seen = this.#seen;
    const secret = this.#secretWith(record, seen);
    const { privateKeyPem, nextPrivateKeyPem } = record;
    const secrets = [privateKeyPem, nextPrivateKeyPem].flatMap((pem) => [pem, toBase64(pem)]);
    const unavailable = (cause: KubeError): FlotillaError =>
      this.#unavailable(seen === undefined ? "created" : "changed", cause, secrets);
    const writing =
      seen === undefined
        ? this.#client.create(this.#secret, secret, signal)
        : this.#client.update(this.#secret, secret, signal);
    const outcome = await writing.catch((reason: unknown) => {
      throw isCancellation(signal, reason) || !(reason instanceof KubeError) ? reason : unavailable(reason);
    });
    if (outcome.kind === "conflict")
      throw new FlotillaError("CONFLICT", `${this.#where} was changed by another process; it is read again`);
    if (outcome.kind === "notFound") throw unavailable(outcome.error);
    this.#seen = outcome.object;
  }

  #secretWith(record: AgentIdentityRecord, seen: KubeFields | undefined): KubeFields {
    const kept = [...textMapOf(seen, "data")].filter(([name]) => !isPartName(name));
    const parts = Array.from(toParts(record), ([name, text]) => [name, toBase64(text)] as const);
    const data = Object.fromEntries([...kept, ...parts]);
    if (seen !== undefined) return { ...seen, data };
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: this.#secret.name,
        namespace: this.#secret.namespace,
        labels: { "app.kubernetes.io/name": "flotilla-agent", "app.kubernetes.io/part-of": "flotilla" },
      },
      type: "Opaque",
      data,
    };
  }

  #unavailable(verb: "read" | "created" | "changed", cause: KubeError, secrets: readonly string[]): FlotillaError {
    const advice =
      cause.fault === "forbidden"
        ? "; apply the agent's manifest, whose Role allows it"
        : cause.fault === "notFound"
          ? "; the namespace must be there first"
          : "";
    const sentence = `${this.#where} cannot be ${verb}: ${cause.message}${advice}`;
    return hideFromError(new FlotillaError("UNAVAILABLE", sentence, { cause }), secrets);
  }
}

function toBase64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
