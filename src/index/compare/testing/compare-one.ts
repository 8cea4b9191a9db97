// SPDX-License-Identifier: Apache-2.0
import type { ReadableFleet } from "../../relations/visible-cluster.ts";
import { type ComparedObject, describeObject } from "../compare-object.ts";
import { type ComparedKey, type ComparisonScope, readPresence } from "../object-presence.ts";

export interface CompareOneRequest extends ComparisonScope {
  readonly key: ComparedKey;
  /** Also fields that always differ (CM2). */
  readonly withVolatile?: boolean | undefined;
}

/** Compares one object over clusters. */
export function* compareObject(
  fleet: ReadableFleet,
  { key, withVolatile = false, ...scope }: CompareOneRequest,
): Generator<void, ComparedObject, undefined> {
  return describeObject(key, yield* readPresence(fleet, scope, key), withVolatile);
}
