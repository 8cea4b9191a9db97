// SPDX-License-Identifier: Apache-2.0
import { identityOf } from "../../kinds/object-identity.ts";
import { KubeError } from "../kube-error.ts";
import { serverWallMsOf } from "../kube-source.ts";
import type { ReflectorEvent } from "../reflector-event.ts";
import { ContentDigest } from "./content-digest.ts";
import { followedText, resourcePath } from "./kube-resource-path.ts";
import { fieldOf, isJsonObject, listOf, parseJson, readBody, textOf } from "./parse-kube-json.ts";
import type { ReflectorOptions } from "./reflector-options.ts";
import { stripObject } from "./strip-object.ts";

/** The size limit of a page, in sizes of the largest object. A larger page is requested again in smaller pieces. */
const objectsPerPage = 4;

/** The result of a complete list. */
export interface Listed {
  /** The position from which a watch continues. */
  readonly resourceVersion: string;
  readonly objectCount: number;
  readonly byteCount: number;
  /** Equal for two lists of the same objects in the same state. */
  readonly digest: string;
}

/** Receives an event. The next event may follow once the promise has resolved, or at once without a promise. */
export type EmitEvent = (event: ReflectorEvent) => Promise<void> | undefined;

interface Page {
  readonly items: unknown[];
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly byteCount: number;
  readonly serverWallMs: number | undefined;
}

type ListOptions = Pick<ReflectorOptions, "source" | "settings" | "resource" | "namespace" | "fieldSelector" | "strip">;

/** Loads one page. Returns undefined if it exceeds the size limit. */
async function loadPage(
  options: ListOptions,
  at: { readonly limit: number; readonly continueToken: string },
  signal: AbortSignal,
): Promise<Page | undefined> {
  const { source, settings, fieldSelector } = options;
  const what = `the list of ${followedText(options)}`;
  const answer = await source.request(
    {
      method: "GET",
      path: resourcePath(options),
      query: {
        limit: String(at.limit),
        ...(at.continueToken === "" ? {} : { continue: at.continueToken }),
        ...(fieldSelector === undefined ? {} : { fieldSelector }),
      },
      headers: { accept: "application/json" },
      deadlineMs: settings.requestTimeoutMs,
    },
    signal,
  );
  const bytes = await readBody(answer.body, settings.maxObjectBytes * objectsPerPage);
  if (bytes === undefined) return undefined;
  const list = parseJson(bytes, what);
  const metadata = fieldOf(list, "metadata");
  const resourceVersion = textOf(metadata, "resourceVersion");
  if (!isJsonObject(list) || !Object.hasOwn(list, "items") || resourceVersion === "") {
    throw new KubeError("malformed", `${what} is not a Kubernetes list with items and a resourceVersion`);
  }
  const continueToken = textOf(metadata, "continue");
  const serverWallMs = serverWallMsOf(answer);
  return { items: listOf(list, "items"), resourceVersion, continueToken, byteCount: bytes.length, serverWallMs };
}

/**
 * Lists in pages at one resourceVersion (KU11). Emits `listing` after the first page has arrived, each object, then
 * `listed`. Holds one page, and releases each of its objects as it is emitted (KU15). Throws the error of a request,
 * `expired` for a page token that is too old; the list is then incomplete.
 */
export async function listOnce(options: ListOptions, emit: EmitEvent, signal: AbortSignal): Promise<Listed> {
  const digest = new ContentDigest();
  const { strip = stripObject } = options;
  let { pageSize: limit } = options.settings;
  let [continueToken, objectCount, byteCount] = ["", 0, 0];
  for (;;) {
    const page = await loadPage(options, { limit, continueToken }, signal);
    if (page === undefined) {
      if (limit === 1) {
        throw new KubeError(
          "malformed",
          `one object of ${followedText(options)} is larger than --max-object-size allows`,
        );
      }
      limit = Math.ceil(limit / 2);
      continue;
    }
    if (continueToken === "") await emit({ kind: "listing" });
    byteCount += page.byteCount;
    for (const object of takeEach(page.items)) {
      objectCount += 1;
      const identity = identityOf(object);
      digest.add(identity);
      strip(object);
      const taken = emit({ kind: "object", object, identity, serverWallMs: page.serverWallMs });
      if (taken !== undefined) await taken;
    }
    ({ continueToken } = page);
    if (continueToken !== "") continue;
    await emit({ kind: "listed", objectCount, byteCount });
    return { resourceVersion: page.resourceVersion, objectCount, byteCount, digest: digest.toString() };
  }
}

/** Yields the items one by one and removes each from the array. */
function* takeEach(items: unknown[]): Generator<unknown, void> {
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    items[at] = undefined;
    yield item;
  }
}
