// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../model/gvr.ts";
import { conditionsOf, reconcileFactsOf } from "./conditions.ts";
import type { Kind } from "./kind.ts";

/** A kind that no file names, collected by its metadata and standard conditions (KI14). Nothing of its spec or status becomes a column. */
export function createAnyKind(resource: ResourceId, kind: string, version: string, isNamespaced: boolean): Kind {
  return {
    resource,
    kind,
    versions: [version],
    isNamespaced,
    columns: [],
    project: (object) =>
      // Most kinds never get a condition, so one without any says nothing about a controller.
      conditionsOf(object).length === 0
        ? { columns: new Map() }
        : { columns: new Map(), reconcile: reconcileFactsOf(object) },
  };
}
