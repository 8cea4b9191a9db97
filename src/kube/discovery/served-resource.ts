// SPDX-License-Identifier: Apache-2.0
import { type Gvr, gvrText } from "../../model/gvr.ts";
import { compareUtf8 } from "../../model/text.ts";

/** A resource as a server tells of it. */
export interface ServedResource extends Gvr {
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
}

/** What a server serves. */
export interface Served {
  /** In the order of their text, each once. */
  readonly resources: readonly ServedResource[];
  /** `group/version` of those that the server names but has never told anything about: absence there proves nothing (L4). */
  readonly unknownGroupVersions: readonly string[];
}

/** Resources by `group/version`; undefined where the server named it but could not tell. */
export type GroupVersions = ReadonlyMap<string, readonly ServedResource[] | undefined>;

/** Brings groups into the one order that equal answers share. */
export function toServed(groups: GroupVersions): Served {
  const resources = [...groups.values()].flatMap((each) => each ?? []);
  const unknown = [...groups].flatMap(([name, each]) => (each === undefined ? [name] : []));
  return {
    resources: resources.sort((a, b) => compareUtf8(gvrText(a), gvrText(b))),
    unknownGroupVersions: unknown.sort(compareUtf8),
  };
}
