// SPDX-License-Identifier: Apache-2.0
// Reads and writes of single objects of a cluster. Such requests are made only here.
import { isObject } from "../kinds/fields.ts";
import { type Gvr, gvrText } from "../model/gvr.ts";
import { KubeError } from "./kube-error.ts";
import type { KubeRequest, KubeSource } from "./kube-source.ts";
import { resourcePath } from "./reflector/kube-resource-path.ts";
import { parseJson, readBody } from "./reflector/parse-kube-json.ts";

/** The address of an object. */
export interface KubeObjectRef {
  readonly resource: Gvr;
  /** Undefined for cluster-wide resources. */
  readonly namespace?: string | undefined;
  readonly name: string;
  /** `status`, `token` and the like; undefined for the object itself. */
  readonly subresource?: string;
}

/** An object as sent or received. It is only known to be a JSON object. */
export type KubeFields = Readonly<Record<string, unknown>>;

/** Refusals of the API server that callers handle. `error` holds its message. */
export type ObjectRefusal =
  /** The object does not exist; its namespace or resource may not exist either. */
  | { readonly kind: "notFound"; readonly error: KubeError }
  /** It already exists, has another resourceVersion or uid than given, or other field managers own the fields. */
  | { readonly kind: "conflict"; readonly error: KubeError };

/** The outcome of a request for one object. */
export type ObjectOutcome = { readonly kind: "ok"; readonly object: KubeFields } | ObjectRefusal;

/** The field manager, and how conflicts with other managers are resolved. */
export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes over fields of other managers; otherwise they are a conflict. */
  readonly force?: boolean;
}

/** Deletes only an object that matches; any other is a conflict (L4). */
export interface DeletePreconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface ObjectClientOptions {
  readonly source: KubeSource;
  /** For each request including its answer. */
  readonly requestTimeoutMs: number;
  /** Of one answer. A longer one is a failure. */
  readonly maxBodyBytes: number;
}

/**
 * Single objects of one cluster, with one credential. Methods resolve with the object as the API server returns it, or
 * with a refusal. They reject with a KubeError for every other failure, and with the signal's reason. Nothing is
 * retried.
 */
export class ObjectClient {
  readonly #options: ObjectClientOptions;

  constructor(options: ObjectClientOptions) {
    this.#options = options;
  }

  get(ref: KubeObjectRef, signal: AbortSignal): Promise<ObjectOutcome> {
    return this.#request(ref, { method: "GET", path: pathOf(ref) }, signal);
  }

  /** Creates the object, or posts to a subresource. An existing object of that name is a conflict. */
  create(ref: KubeObjectRef, object: KubeFields, signal: AbortSignal): Promise<ObjectOutcome> {
    const path = ref.subresource === undefined ? resourcePath(ref) : pathOf(ref);
    return this.#request(ref, { method: "POST", path, ...bodyOf(object, "application/json") }, signal);
  }

  /** Replaces the object. If it has a `metadata.resourceVersion`, that must match. */
  update(ref: KubeObjectRef, object: KubeFields, signal: AbortSignal): Promise<ObjectOutcome> {
    return this.#request(ref, { method: "PUT", path: pathOf(ref), ...bodyOf(object, "application/json") }, signal);
  }

  /** Changes the fields in the patch, by JSON merge patch (RFC 7396): lists are replaced as a whole, null removes. */
  mergePatch(ref: KubeObjectRef, patch: KubeFields, signal: AbortSignal): Promise<ObjectOutcome> {
    const content = bodyOf(patch, "application/merge-patch+json");
    return this.#request(ref, { method: "PATCH", path: pathOf(ref), ...content }, signal);
  }

  /**
   * Server-side apply: creates the object, or sets its fields to these. The object must have apiVersion, kind and name.
   * A `metadata.uid` or `metadata.resourceVersion` in it must match the stored object.
   */
  apply(ref: KubeObjectRef, object: KubeFields, options: ApplyOptions, signal: AbortSignal): Promise<ObjectOutcome> {
    const { fieldManager, force = false } = options;
    const query = { fieldManager, ...(force ? { force: "true" } : {}) };
    // JSON is valid YAML, and this is the only content type that all servers with server-side apply accept.
    const content = bodyOf(object, "application/apply-patch+yaml");
    return this.#request(ref, { method: "PATCH", path: pathOf(ref), query, ...content }, signal);
  }

  /**
   * Deletes the object; its dependents are deleted in the background. The answer is the terminating object, or a
   * Status.
   */
  delete(ref: KubeObjectRef, preconditions: DeletePreconditions, signal: AbortSignal): Promise<ObjectOutcome> {
    const options = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background", preconditions };
    return this.#request(ref, { method: "DELETE", path: pathOf(ref), ...bodyOf(options, "application/json") }, signal);
  }

  async #request(
    ref: KubeObjectRef,
    request: Omit<KubeRequest, "deadlineMs">,
    signal: AbortSignal,
  ): Promise<ObjectOutcome> {
    const { source, requestTimeoutMs, maxBodyBytes } = this.#options;
    const what = `the answer about ${refText(ref)}`;
    try {
      const answer = await source.request({ ...request, deadlineMs: requestTimeoutMs }, signal);
      const body = await readBody(answer.body, maxBodyBytes);
      if (body === undefined) throw new KubeError("malformed", `${what} has more than ${maxBodyBytes} bytes`);
      const object = parseJson(body, what);
      if (!isObject(object)) throw new KubeError("malformed", `${what} is not an object`);
      return { kind: "ok", object };
    } catch (reason) {
      if (!(reason instanceof KubeError)) throw reason;
      if (reason.fault !== "notFound" && reason.fault !== "conflict") throw reason;
      return { kind: reason.fault, error: reason };
    }
  }
}

/** The object of an outcome for which a refusal is a failure. Throws the error of a refusal. */
export function objectOf(outcome: ObjectOutcome): KubeFields {
  if (outcome.kind !== "ok") throw outcome.error;
  return outcome.object;
}

function pathOf(ref: KubeObjectRef): string {
  const path = `${resourcePath(ref)}/${encodeURIComponent(ref.name)}`;
  return ref.subresource === undefined ? path : `${path}/${ref.subresource}`;
}

/** `v1/secrets shop/web`; without the namespace if there is none. */
function refText({ resource, namespace, name }: KubeObjectRef): string {
  return `${gvrText(resource)} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function bodyOf(value: KubeFields, contentType: string): Required<Pick<KubeRequest, "body" | "headers">> {
  return { body: new TextEncoder().encode(JSON.stringify(value)), headers: { "content-type": contentType } };
}
