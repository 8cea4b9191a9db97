// SPDX-License-Identifier: Apache-2.0
// Pages of a list. All pages show the revision of the first one. They are read from the cache while it is at that
// revision, and from the store afterwards.

import { hasCode } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { openDeadline } from "../../base/time/deadline.ts";
import { toRevision } from "../../model/revision.ts";
import type { Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import { quoteGo } from "../json/quote-go.ts";
import type { ListOptions } from "../request/list-options.ts";
import type { Resource } from "../resources/resource.ts";
import { ApiError, badRequest } from "../status/api-error.ts";
import type { CachedObject } from "./cached-object.ts";
import { type ContinueToken, decodeContinue, encodeContinue } from "./continue-token.ts";
import type { ObjectCache } from "./object-cache.ts";
import type { Selection } from "./object-selection.ts";

export interface ListedPage {
  readonly revision: number;
  readonly items: readonly CachedObject[];
  readonly continueToken: string | undefined;
  readonly remainingCount: number | undefined;
}

export interface ListSource {
  readonly store: Store;
  readonly cluster: string;
  readonly cache: ObjectCache;
  readonly clock: Clock;
}

/** How long a request waits for a future revision: kube-apiserver's limit. */
const futureWaitMs = 3000;

/** Reads one page. Throws kube-apiserver's 400, 410 and 504. */
export async function listPage(
  source: ListSource,
  resource: Resource,
  selection: Selection,
  options: ListOptions,
): Promise<ListedPage> {
  const { cache } = source;
  if (options.continueToken !== "") {
    const token = readToken(options.continueToken, resource.facts.namespaced);
    if (options.resourceVersion !== "" && options.resourceVersion !== "0")
      throw badRequest("specifying resource version is not allowed when using continue");
    if (token.revision > 0) await reachRevision(source, token.revision);
    const revision = token.revision < 0 ? cache.revision : token.revision;
    return pageAt(source, resource, selection, { revision, limit: options.limit, token });
  }
  const asked = parseListVersion(options.resourceVersion);
  const isExact = options.match === "Exact" || (options.match === "" && options.limit > 0 && asked > 0);
  await reachRevision(source, asked);
  if (isExact && asked > 0) return pageAt(source, resource, selection, { revision: asked, limit: options.limit });
  // Version 0 means any cached state. kube-apiserver ignores the limit then and returns all objects.
  const limit = options.resourceVersion === "0" ? 0 : options.limit;
  return pageAt(source, resource, selection, { revision: cache.revision, limit });
}

/** Waits until the cache has the revision `asked`; for 0, until it has everything committed. */
export async function reachRevision({ cache, clock }: ListSource, asked: number): Promise<void> {
  if (asked === 0) return cache.reachNewest();
  if (asked <= cache.revision) return;
  await cache.reachNewest();
  if (asked <= cache.revision) return;
  using deadline = openDeadline({ clock, limitMs: futureWaitMs, what: "the revision" });
  try {
    await cache.reach(asked, deadline.signal);
  } catch (reason) {
    if (!deadline.signal.aborted) throw reason;
    throw tooLarge(asked, cache.revision);
  }
}

/**
 * Parses the resourceVersion of a get or watch; empty is 0. Throws a 500 for an invalid one, as kube-apiserver does.
 */
export function parseVersion(text: string): number {
  return readVersion(text) ?? refuse(500, "", versionProblem(text));
}

/** Parses the resourceVersion of a list. Throws a 400 for an invalid one. */
function parseListVersion(text: string): number {
  return readVersion(text) ?? refuse(400, "BadRequest", `invalid resource version: ${versionProblem(text)}`);
}

function readVersion(text: string): number | undefined {
  if (text === "") return 0;
  const value = Number(text);
  return /^[0-9]+$/.test(text) && Number.isSafeInteger(value) ? value : undefined;
}

function versionProblem(text: string): string {
  const quoted = quoteGo(text);
  const because = /^[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${because}`;
}

function refuse(code: 400 | 500, reason: "" | "BadRequest", message: string): never {
  throw new ApiError(code, reason, message);
}

interface PageRequest {
  readonly revision: number;
  readonly limit: number;
  readonly token?: ContinueToken;
}

async function pageAt(
  source: ListSource,
  resource: Resource,
  selection: Selection,
  request: PageRequest,
): Promise<ListedPage> {
  const { cache } = source;
  const { revision, limit, token } = request;
  const items: CachedObject[] = [];
  let leftCount = 0;
  const isFull = (each: CachedObject): boolean => {
    if (!selection.matches(each, (cached) => cache.parsed(cached))) return false;
    if (limit > 0 && items.length === limit) leftCount += 1;
    else items.push(each);
    return leftCount > 0;
  };
  const isCurrent = revision === cache.revision;
  // The first page of a past revision has no count yet: the remaining objects are counted.
  const countsRest = !isCurrent && token === undefined && !selection.hasSelectors;
  if (isCurrent) {
    // Synchronous: the cache must not advance within a page.
    for (const each of cache.resource(resource.storageId).objects(selection.namespace, token)) if (isFull(each)) break;
  } else {
    for await (const each of storedObjects(source, resource, selection, request))
      if (isFull(each) && !countsRest) break;
  }
  const last = items.at(-1);
  if (leftCount === 0 || last === undefined)
    return { revision, items, continueToken: undefined, remainingCount: undefined };
  const before = token?.remainingCount ?? (isCurrent ? countAll(source, resource, selection) : undefined);
  const counted = before === undefined ? undefined : before - items.length;
  const remainingCount = selection.hasSelectors ? undefined : countsRest ? leftCount : counted;
  const { namespace, name } = last;
  return {
    revision,
    items,
    continueToken: encodeContinue({ revision, namespace, name, remainingCount }),
    remainingCount,
  };
}

function countAll({ cache }: ListSource, resource: Resource, selection: Selection): number {
  const found = cache.resource(resource.storageId);
  if (selection.namespace === undefined) return found.count;
  return found.countIn(selection.namespace);
}

/** The objects at a revision that the cache has passed. */
async function* storedObjects(
  { store, cluster, cache }: ListSource,
  resource: Resource,
  selection: Selection,
  { revision, token }: PageRequest,
): AsyncGenerator<CachedObject> {
  const prefix = [cluster, resource.storageId, ...(selection.namespace === undefined ? [] : [selection.namespace])];
  let after = token === undefined ? undefined : [cluster, resource.storageId, token.namespace, token.name];
  for (let more = true; more; ) {
    const page = await readPage(store, { prefix, revision, after, token });
    for (const row of page.rows) {
      const [, , namespace = "", name = ""] = row.key;
      yield cache.foreign(namespace, name, Number(row.revision), row.value.body);
    }
    after = page.rows.at(-1)?.key.slice() ?? after;
    more = page.more;
  }
}

async function readPage(
  store: Store,
  request: {
    readonly prefix: readonly string[];
    readonly revision: number;
    readonly after: readonly string[] | undefined;
    readonly token: ContinueToken | undefined;
  },
): ReturnType<typeof store.list<typeof objects>> {
  try {
    return await store.list(objects, {
      prefix: request.prefix,
      asOf: toRevision(request.revision),
      ...(request.after === undefined ? {} : { after: request.after }),
    });
  } catch (reason) {
    // The token's key is outside the list, so the token was not made here.
    if (hasCode(reason, "INVALID_ARGUMENT")) throw badRequest(`continue key is not valid: ${reason.message}`);
    if (!hasCode(reason, "GONE")) throw reason;
    throw request.token === undefined ? tooOldExact() : expiredContinue(request.token, Number(store.revision));
  }
}

function readToken(text: string, isNamespaced: boolean): ContinueToken {
  try {
    return decodeContinue(text, isNamespaced);
  } catch (reason) {
    if (!hasCode(reason, "INVALID_ARGUMENT")) throw reason;
    throw badRequest(`invalid continue token: ${reason.message}`);
  }
}

function tooOldExact(): ApiError {
  return new ApiError(410, "Expired", "The resourceVersion for the provided list is too old.");
}

/** The returned token continues the list at the newest revision; its pages are then inconsistent. */
function expiredContinue(token: ContinueToken, revision: number): ApiError {
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
  const continueToken = encodeContinue({ ...token, revision, remainingCount: undefined });
  return new ApiError(410, "Expired", message, { continueToken });
}

function tooLarge(asked: number, current: number): ApiError {
  return new ApiError(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}
