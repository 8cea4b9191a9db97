// SPDX-License-Identifier: Apache-2.0
// Compares everything that a query selects over clusters: with each other (CM4), or with one of them (CM6).
import { FlotillaError } from "../../base/error.ts";
import type { ReadableFleet } from "../relations/visible-cluster.ts";
import { type BaselineDifference, compareWithBaseline } from "./baseline-difference.ts";
import { type ComparedObject, describeObject } from "./compare-object.ts";
import { type ComparedSelection, firstComparedKeys } from "./compared-keys.ts";
import { type ComparedKey, type ObjectPresence, readPresence } from "./object-presence.ts";

/** The most objects of one page. */
export const maxComparedObjects = 200;

/** Keys that are looked up at once. A page of differences skips equal objects, so it may need several rounds. */
const keysPerRound = 128;

export interface CompareObjectsRequest extends ComparedSelection {
  /** The page begins after this key. */
  readonly after?: ComparedKey | undefined;
  /** 1 to `maxComparedObjects`. */
  readonly limit: number;
  /** Leaves out objects that are in all clusters, as far as known, and do not differ. */
  readonly onlyDifferent?: boolean | undefined;
  readonly withVolatile?: boolean | undefined;
}

/** One page, in the order of resource, namespace and name. */
export interface ComparedPage<Compared> {
  readonly objects: readonly Compared[];
  /** The key after which the next page begins; undefined if there is none. */
  readonly next: ComparedKey | undefined;
}

/**
 * Compares the selected objects over clusters. Throws INVALID_ARGUMENT for a limit out of range. Yields after bounded
 * work.
 */
export function compareObjects(
  fleet: ReadableFleet,
  request: CompareObjectsRequest,
): Generator<void, ComparedPage<ComparedObject>, undefined> {
  const { onlyDifferent = false, withVolatile = false } = request;
  return readPage(fleet, request, (key, presence) => {
    const compared = describeObject(key, presence, withVolatile);
    return onlyDifferent && compared.missingIn.length + compared.differences.length === 0 ? undefined : compared;
  });
}

/**
 * Everything that differs from one cluster, the baseline: objects that are missing elsewhere, that only others have, and
 * fields with other values. Objects that the subject may not see in the baseline are not compared. Throws INVALID_ARGUMENT
 * for a limit out of range. Yields after bounded work.
 */
export function compareWithCluster(
  fleet: ReadableFleet,
  baseline: string,
  request: CompareObjectsRequest,
): Generator<void, ComparedPage<BaselineDifference>, undefined> {
  const clusters = request.clusters.includes(baseline) ? request.clusters : [...request.clusters, baseline];
  return readPage(fleet, { ...request, clusters }, (key, presence) =>
    compareWithBaseline(key, presence, baseline, request.withVolatile ?? false),
  );
}

function* readPage<Compared>(
  fleet: ReadableFleet,
  request: CompareObjectsRequest,
  compare: (key: ComparedKey, presence: ReadonlyMap<string, ObjectPresence>) => Compared | undefined,
): Generator<void, ComparedPage<Compared>, undefined> {
  checkLimit(request.limit);
  const found: { readonly key: ComparedKey; readonly compared: Compared }[] = [];
  let after = request.after;
  for (;;) {
    const keys = yield* firstComparedKeys(fleet, request, { after, count: keysPerRound });
    for (const key of keys) {
      const compared = compare(key, yield* readPresence(fleet, request, key));
      if (compared !== undefined) found.push({ key, compared });
      // One more than the page holds shows that there is a next page.
      if (found.length > request.limit) return pageOf(found, request.limit);
      yield;
    }
    if (keys.length < keysPerRound) return pageOf(found, request.limit);
    after = keys.at(-1);
  }
}

function pageOf<Compared>(
  found: readonly { readonly key: ComparedKey; readonly compared: Compared }[],
  limit: number,
): ComparedPage<Compared> {
  return {
    objects: found.slice(0, limit).map(({ compared }) => compared),
    next: found.length > limit ? found[limit - 1]?.key : undefined,
  };
}

function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxComparedObjects)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `the limit must be an integer from 1 to ${maxComparedObjects}, it is ${limit}`,
    );
}
