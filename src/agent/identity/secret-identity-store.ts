// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { isObject, textMapOf } from "../../kinds/fields.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeRequest, KubeSource } from "../../kube/kube-source.ts";
import { parseJson, readBody } from "../../kube/reflector/parse-json.ts";
import { hideFromError } from "./hide-from-error.ts";
import { type AgentIdentityRecord, fromParts, type IdentityStore, isPartName, toParts } from "./identity-record.ts";

/** The Secret that an agent keeps its key in; the manifest's Role allows this one. */
export const agentKeySecretName = "flotilla-agent-key";

/** What Kubernetes takes at most for a Secret is 1 MiB, and base64 adds a third. */
const maxBodyBytes = 2 * 1024 * 1024;

export interface SecretIdentityStoreOptions {
  readonly source: KubeSource;
  /** The agent's own. */
  readonly namespace: string;
  /** Default `flotilla-agent-key`. */
  readonly name?: string;
  readonly requestTimeoutMs: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Keeps the record in a Secret of the agent's namespace, so that it outlives the Pod and its node. A Secret that is not there is created; one that is there
 * is replaced only as it was last read, by its resourceVersion, and keeps whatever else it holds. What stands in the way of a request may be mended from outside, so that is
 * UNAVAILABLE with what the API server said.
 */
export class SecretIdentityStore implements IdentityStore {
  readonly #options: SecretIdentityStoreOptions;
  readonly #name: string;
  /** The Secret as it was last read or written; undefined where there was none. */
  #seen: Fields | undefined;

  constructor(options: SecretIdentityStoreOptions) {
    this.#options = options;
    this.#name = options.name ?? agentKeySecretName;
  }

  get #where(): string {
    return `the Secret ${this.#options.namespace}/${this.#name}`;
  }

  get #collection(): string {
    return `/api/v1/namespaces/${encodeURIComponent(this.#options.namespace)}/secrets`;
  }

  async load(signal: AbortSignal): Promise<AgentIdentityRecord | undefined> {
    try {
      this.#seen = await this.#ask({ method: "GET", path: `${this.#collection}/${this.#name}` }, signal);
    } catch (reason) {
      if (!(reason instanceof KubeError)) throw reason;
      if (reason.fault !== "notFound") throw this.#unavailable("read", reason, []);
      this.#seen = undefined;
      return undefined;
    }
    const parts = new Map<string, string>();
    for (const [name, text] of textMapOf(this.#seen, "data")) {
      if (isPartName(name)) parts.set(name, Buffer.from(text, "base64").toString("utf8"));
    }
    return fromParts(parts, this.#where);
  }

  async save(record: AgentIdentityRecord, signal: AbortSignal): Promise<void> {
    const seen = this.#seen;
    const body = new TextEncoder().encode(JSON.stringify(this.#secretWith(record, seen)));
    const headers = { "content-type": "application/json" };
    try {
      this.#seen =
        seen === undefined
          ? await this.#ask({ method: "POST", path: this.#collection, headers, body }, signal)
          : await this.#ask({ method: "PUT", path: `${this.#collection}/${this.#name}`, headers, body }, signal);
    } catch (reason) {
      if (isCancellation(signal, reason) || !(reason instanceof KubeError)) throw reason;
      if (reason.fault === "conflict")
        throw new FlotillaError("CONFLICT", `${this.#where} was written by somebody else in between; it is read again`);
      const { privateKeyPem, nextPrivateKeyPem } = record;
      const secrets = [privateKeyPem, nextPrivateKeyPem].flatMap((pem) => [pem, toBase64(pem)]);
      throw this.#unavailable(seen === undefined ? "created" : "changed", reason, secrets);
    }
  }

  #secretWith(record: AgentIdentityRecord, seen: Fields | undefined): Fields {
    const kept = [...textMapOf(seen, "data")].filter(([name]) => !isPartName(name));
    const parts = Array.from(toParts(record), ([name, text]) => [name, toBase64(text)] as const);
    const data = Object.fromEntries([...kept, ...parts]);
    if (seen !== undefined) return { ...seen, data };
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: this.#name,
        namespace: this.#options.namespace,
        labels: { "app.kubernetes.io/name": "flotilla-agent", "app.kubernetes.io/part-of": "flotilla" },
      },
      type: "Opaque",
      data,
    };
  }

  async #ask(request: Omit<KubeRequest, "deadlineMs">, signal: AbortSignal): Promise<Fields> {
    const { source, requestTimeoutMs } = this.#options;
    const answer = await source.request({ ...request, deadlineMs: requestTimeoutMs }, signal);
    const body = await readBody(answer.body, maxBodyBytes);
    const secret = body === undefined ? undefined : parseJson(body, this.#where);
    if (!isObject(secret)) throw new KubeError("malformed", `the answer about ${this.#where} is no Secret`);
    return secret;
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
