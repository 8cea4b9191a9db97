// SPDX-License-Identifier: Apache-2.0
import { identityOf } from "../../kinds/object-identity.ts";
import { KubeError } from "../kube-error.ts";
import type { ReflectorEvent } from "../reflector-event.ts";
import { serverWallMsOf } from "./answer-date.ts";
import { ContentDigest } from "./content-digest.ts";
import { followedText, resourcePath } from "./kube-resource-path.ts";
import { fieldOf, isJsonObject, listOf, parseJson, readBody, textOf } from "./parse-kube-json.ts";
import type { ReflectorOptions } from "./reflector-options.ts";
import { stripObject } from "./strip-object.ts";

/** A page may have this many times the bytes of the largest object; beyond that it is asked for again in smaller pieces. */
const objectsPerPage = 4;

/** What a finished list was like. */
export interface Listed {
  /** Where a watch goes on. */
  readonly resourceVersion: string;
  readonly objectCount: number;
  readonly byteCount: number;
  /** Equal for two lists of the same objects in the same state. */
  readonly digest: string;
}

/** Takes an event. The next may come once the answer has resolved, or at once where there is none. */
export type Tell = (event: ReflectorEvent) => Promise<void> | undefined;

interface Page {
  readonly items: unknown[];
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly byteCount: number;
  readonly serverWallMs: number | undefined;
}

type ListOptions = Pick<ReflectorOptions, "source" | "settings" | "resource" | "namespace" | "fieldSelector" | "strip">;

/** One page; undefined where it has more bytes than may be held. */
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
    throw new KubeError("malformed", `${what} is no Kubernetes list with items and a resourceVersion`);
  }
  const continueToken = textOf(metadata, "continue");
  const serverWallMs = serverWallMsOf(answer);
  return { items: listOf(list, "items"), resourceVersion, continueToken, byteCount: bytes.length, serverWallMs };
}

/**
 * Lists in pages at one resourceVersion (KU11) and tells `listing` once the first page is there, each object, and `listed`. Holds one page, and lets go of each object of it as it is given away (KU15). Throws
 * what a request failed with, `expired` for a page token that is too old; then nothing was completed.
 */
export async function listOnce(options: ListOptions, tell: Tell, signal: AbortSignal): Promise<Listed> {
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
    if (continueToken === "") await tell({ kind: "listing" });
    byteCount += page.byteCount;
    for (const object of takeEach(page.items)) {
      objectCount += 1;
      const identity = identityOf(object);
      digest.add(identity);
      strip(object);
      const taken = tell({ kind: "object", object, identity, serverWallMs: page.serverWallMs });
      if (taken !== undefined) await taken;
    }
    ({ continueToken } = page);
    if (continueToken !== "") continue;
    await tell({ kind: "listed", objectCount, byteCount });
    return { resourceVersion: page.resourceVersion, objectCount, byteCount, digest: digest.toString() };
  }
}

/** The items one by one, each forgotten by the array as it leaves. */
function* takeEach(items: unknown[]): Generator<unknown, void> {
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    items[at] = undefined;
    yield item;
  }
}
