// SPDX-License-Identifier: Apache-2.0
// Decides which names a CustomResourceDefinition gets. Definitions of one group must not share names.

import { copyJson, type DraftObject, isEqualJson, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../json/json-fields.ts";
import { type CrdNames, namesOf } from "./crd-accessors.ts";
import { type CrdCondition, establishedCondition, findCondition, withCondition } from "./crd-conditions.ts";

/** The names of a definition after the decision, and its conditions. */
export interface NameAcceptance {
  /** As in the status. A name that another definition holds keeps its previous value. */
  readonly acceptedNames: DraftObject;
  /** NamesAccepted, then Established. */
  readonly conditions: readonly [CrdCondition, CrdCondition];
  readonly areAccepted: boolean;
}

/**
 * Decides on the names of a definition. `others` are all definitions of the logical cluster; those of other groups are
 * ignored. It may contain the definition itself.
 */
export function acceptNames(crd: JsonObject, others: readonly JsonObject[]): NameAcceptance {
  const asked = namesOf(objectAt(crd, "spec", "names"));
  const held = namesOf(objectAt(crd, "status", "acceptedNames"));
  const taken = namesTaken(crd, others);
  const conflicts: CrdCondition[] = [];

  const choose = (
    name: "plural" | "singular" | "kind" | "listKind",
    reason: string,
    used: ReadonlySet<string>,
  ): string => {
    if (asked[name] === held[name] || !used.has(asked[name])) return asked[name];
    conflicts.push(refused(reason, alreadyUsed(asked[name])));
    return held[name];
  };
  const plural = choose("plural", "PluralConflict", taken.resources);
  const singular = choose("singular", "SingularConflict", taken.resources);
  const shortNames = chooseShortNames(asked, held, taken.resources, conflicts);
  const kind = choose("kind", "KindConflict", taken.kinds);
  const listKind = choose("listKind", "ListKindConflict", taken.kinds);

  const named = conflicts.at(-1) ?? accepted;
  return {
    acceptedNames: toJson({ plural, singular, shortNames, kind, listKind, categories: asked.categories }),
    conditions: [named, decideEstablished(crd, named)],
    areAccepted: named === accepted,
  };
}

/**
 * The status after the decision on names; undefined if nothing changes. It is written in one step: Established becomes
 * True together with accepted names, and is never reset. `time` is RFC 3339.
 */
export function establishedStatus(
  crd: JsonObject,
  others: readonly JsonObject[],
  time: string,
): DraftObject | undefined {
  const { acceptedNames, conditions, areAccepted } = acceptNames(crd, others);
  const wanted: readonly CrdCondition[] = areAccepted ? [conditions[0], establishedCondition] : conditions;
  const isCurrent =
    isEqualJson(toJson(namesOf(objectAt(crd, "status", "acceptedNames"))), acceptedNames) &&
    wanted.every((condition) => hasCondition(crd, condition));
  if (isCurrent) return undefined;
  const known = objectsAt(crd, "status", "conditions").map((condition) => copyJson(condition));
  return {
    conditions: wanted.reduce((list, condition) => withCondition(list, condition, time), known),
    acceptedNames,
    storedVersions: [...textsAt(crd, "status", "storedVersions")],
  };
}

const accepted: CrdCondition = {
  type: "NamesAccepted",
  status: "True",
  reason: "NoConflicts",
  message: "no conflicts found",
};

function refused(reason: string, message: string): CrdCondition {
  return { type: "NamesAccepted", status: "False", reason, message };
}

function alreadyUsed(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

/** Accepts all short names or keeps the previous ones. */
function chooseShortNames(
  asked: CrdNames,
  held: CrdNames,
  used: ReadonlySet<string>,
  conflicts: CrdCondition[],
): readonly string[] {
  const wrong = asked.shortNames.filter((name) => !held.shortNames.includes(name) && used.has(name));
  if (wrong.length === 0) return asked.shortNames;
  const sentences = [...new Set(wrong.map(alreadyUsed))];
  conflicts.push(
    refused("ShortNamesConflict", sentences.length === 1 ? (sentences[0] ?? "") : `[${sentences.join(", ")}]`),
  );
  return held.shortNames;
}

/** Established is never reset once True. Until then its reason depends on whether the names are accepted. */
function decideEstablished(crd: JsonObject, named: CrdCondition): CrdCondition {
  const known = findCondition(crd, "Established");
  if (known !== undefined && textAt(known, "status") === "True") return establishedCondition;
  const [reason, message] =
    named === accepted
      ? ["Installing", "the initial names have been accepted"]
      : ["NotAccepted", "not all names are accepted"];
  return { type: "Established", status: "False", reason, message };
}

function namesTaken(
  crd: JsonObject,
  others: readonly JsonObject[],
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (textAt(other, "spec", "group") !== textAt(crd, "spec", "group")) continue;
    const names = namesOf(objectAt(other, "status", "acceptedNames"));
    for (const name of [names.plural, names.singular, ...names.shortNames]) resources.add(name);
    for (const kind of [names.kind, names.listKind]) kinds.add(kind);
  }
  return { resources, kinds };
}

function hasCondition(crd: JsonObject, { type, status, reason, message }: CrdCondition): boolean {
  const known = findCondition(crd, type);
  if (known === undefined) return false;
  return (
    textAt(known, "status") === status && textAt(known, "reason") === reason && textAt(known, "message") === message
  );
}

/** Plural and kind are always present; the others are omitted if empty. */
function toJson({ plural, singular, shortNames, kind, listKind, categories }: CrdNames): DraftObject {
  return {
    plural,
    ...(singular === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    kind,
    ...(listKind === "" ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
  };
}
