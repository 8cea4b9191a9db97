// SPDX-License-Identifier: Apache-2.0
// Reads and writes of single objects of a cluster: the one place where such requests are made.
import { isObject } from "../kinds/fields.ts";
import { type Gvr, gvrText } from "../model/gvr.ts";
import { KubeError } from "./kube-error.ts";
import type { KubeRequest, KubeSource } from "./kube-source.ts";
import { parseJson, readBody } from "./reflector/parse-json.ts";
import { resourcePath } from "./reflector/resource-path.ts";

/** Where an object is. */
export interface KubeObjectRef {
  readonly resource: Gvr;
  /** Undefined for cluster-wide resources. */
  readonly namespace?: string | undefined;
  readonly name: string;
  /** `status`, `token` and the like; undefined for the object itself. */
  readonly subresource?: string;
}

/** An object as it is sent or was answered. Nothing but being an object has been checked. */
export type KubeFields = Readonly<Record<string, unknown>>;

/** The API server's refusals that callers decide by. `error` is what it said. */
export type ObjectRefusal =
  /** The object is not there, nor may its namespace or its resource be. */
  | { readonly kind: "notFound"; readonly error: KubeError }
  /** It exists already, is not the version or the uid that was named, or other field managers own what was to be changed. */
  | { readonly kind: "conflict"; readonly error: KubeError };

/** What came of a request for one object. */
export type ObjectOutcome = { readonly kind: "ok"; readonly object: KubeFields } | ObjectRefusal;

/** Who applies, and what becomes of fields that others own. */
export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes over fields of other managers; else they are a conflict. */
  readonly force?: boolean;
}

/** Deletes only what is meant: anything else is a conflict (L4). */
export interface DeletePreconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface ObjectClientOptions {
  readonly source: KubeSource;
  /** For each request, its answer included. */
  readonly requestTimeoutMs: number;
  /** Of one answer; a longer one is a failure. */
  readonly maxBodyBytes: number;
}

/**
 * Single objects of one cluster, with one credential. Methods resolve with the object as the API server has it after the request, or
 * with a refusal. They reject with a KubeError for every other failure, and with the signal's reason. Nothing is tried again.
 */
export class ObjectClient {
  readonly #options: ObjectClientOptions;

  constructor(options: ObjectClientOptions) {
    this.#options = options;
  }

  get(ref: KubeObjectRef, signal: AbortSignal): Promise<ObjectOutcome> {
    return this.#ask(ref, { method: "GET", path: pathOf(ref) }, signal);
  }

  /** Creates the object, or posts to the subresource of one. An object of that name is a conflict. */
  create(ref: KubeObjectRef, object: KubeFields, signal: AbortSignal): Promise<ObjectOutcome> {
    const path = ref.subresource === undefined ? resourcePath(ref) : pathOf(ref);
    return this.#ask(ref, { method: "POST", path, ...bodyOf(object, "application/json") }, signal);
  }

  /** Replaces the object. With a `metadata.resourceVersion` in it, only if that is still its version. */
  update(ref: KubeObjectRef, object: KubeFields, signal: AbortSignal): Promise<ObjectOutcome> {
    return this.#ask(ref, { method: "PUT", path: pathOf(ref), ...bodyOf(object, "application/json") }, signal);
  }

  /** Changes the fields that the patch names, by JSON merge patch (RFC 7396): lists are replaced whole, null removes. */
  mergePatch(ref: KubeObjectRef, patch: KubeFields, signal: AbortSignal): Promise<ObjectOutcome> {
    const content = bodyOf(patch, "application/merge-patch+json");
    return this.#ask(ref, { method: "PATCH", path: pathOf(ref), ...content }, signal);
  }

  /**
   * Server-side apply: creates the object, or makes its fields those of this one. The object must have apiVersion, kind and name. A
   * `metadata.uid` or `metadata.resourceVersion` in it must be that of the object there.
   */
  apply(ref: KubeObjectRef, object: KubeFields, options: ApplyOptions, signal: AbortSignal): Promise<ObjectOutcome> {
    const { fieldManager, force = false } = options;
    const query = { fieldManager, ...(force ? { force: "true" } : {}) };
    // JSON is YAML, and the only type that all servers with server-side apply know.
    const content = bodyOf(object, "application/apply-patch+yaml");
    return this.#ask(ref, { method: "PATCH", path: pathOf(ref), query, ...content }, signal);
  }

  /** Deletes the object; what it owns goes in the background. The answer is the object on its way out, or a Status. */
  delete(ref: KubeObjectRef, preconditions: DeletePreconditions, signal: AbortSignal): Promise<ObjectOutcome> {
    const options = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background", preconditions };
    return this.#ask(ref, { method: "DELETE", path: pathOf(ref), ...bodyOf(options, "application/json") }, signal);
  }

  async #ask(
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
      if (!isObject(object)) throw new KubeError("malformed", `${what} is no object`);
      return { kind: "ok", object };
    } catch (reason) {
      if (!(reason instanceof KubeError)) throw reason;
      if (reason.fault !== "notFound" && reason.fault !== "conflict") throw reason;
      return { kind: reason.fault, error: reason };
    }
  }
}

/** The object of an outcome that allows no refusal. Throws the error of one. */
export function objectOf(outcome: ObjectOutcome): KubeFields {
  if (outcome.kind !== "ok") throw outcome.error;
  return outcome.object;
}

function pathOf(ref: KubeObjectRef): string {
  const path = `${resourcePath(ref)}/${encodeURIComponent(ref.name)}`;
  return ref.subresource === undefined ? path : `${path}/${ref.subresource}`;
}

/** `v1/secrets shop/web`; without the namespace where there is none. */
function refText({ resource, namespace, name }: KubeObjectRef): string {
  return `${gvrText(resource)} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function bodyOf(value: KubeFields, contentType: string): Required<Pick<KubeRequest, "body" | "headers">> {
  return { body: new TextEncoder().encode(JSON.stringify(value)), headers: { "content-type": contentType } };
}
