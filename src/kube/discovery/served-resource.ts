// SPDX-License-Identifier: Apache-2.0
import { type Gvr, gvrText } from "../../model/gvr.ts";
import { compareUtf8 } from "../../model/text.ts";

/** A resource as discovery lists it. */
export interface ServedResource extends Gvr {
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
}

/** Everything that a server serves. */
export interface Served {
  /** Sorted by their text, each once. */
  readonly resources: readonly ServedResource[];
  /** `group/version` of those that the server names but has never described: absence there proves nothing (L4). */
  readonly unknownGroupVersions: readonly string[];
}

/** Resources by `group/version`; undefined if the server named it but could not describe it. */
export type GroupVersions = ReadonlyMap<string, readonly ServedResource[] | undefined>;

/** Sorts groups, so that equal answers give equal results. */
export function toServed(groups: GroupVersions): Served {
  const resources = [...groups.values()].flatMap((each) => each ?? []);
  const unknown = [...groups].flatMap(([name, each]) => (each === undefined ? [name] : []));
  return {
    resources: resources.sort((a, b) => compareUtf8(gvrText(a), gvrText(b))),
    unknownGroupVersions: unknown.sort(compareUtf8),
  };
}
