// SPDX-License-Identifier: Apache-2.0
// Which names a CustomResourceDefinition gets: no two definitions of a group may answer to the same one.
import { copyJson, type DraftObject, isEqualJson, type JsonObject, objectAt, textAt } from "../json/json.ts";
import { type CrdCondition, establishedCondition, findCondition, withCondition } from "./crd-conditions.ts";
import { type CrdNames, namesOf, objectsAt, textsAt } from "./crd-parts.ts";

/** The names a definition has from now on, and what its status says about it. */
export interface NameAcceptance {
  /** As the status holds them; a name that another definition has stays what it was. */
  readonly acceptedNames: DraftObject;
  /** NamesAccepted, then Established. */
  readonly conditions: readonly [CrdCondition, CrdCondition];
  readonly areAccepted: boolean;
}

/** Judges the names that a definition asks for. `others` are all definitions of the logical cluster; those of other groups do not count, and itself may be there. */
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
    conditions: [named, judgeEstablished(crd, named)],
    areAccepted: named === accepted,
  };
}

/**
 * The status that a definition gets once its names were judged; undefined where it says all that already. Written in one step: Established follows at once
 * where the names are accepted, and it never goes back. `time` is RFC 3339.
 */
export function establishedStatus(
  crd: JsonObject,
  others: readonly JsonObject[],
  time: string,
): DraftObject | undefined {
  const { acceptedNames, conditions, areAccepted } = acceptNames(crd, others);
  const wanted: readonly CrdCondition[] = areAccepted ? [conditions[0], establishedCondition] : conditions;
  const isSaid =
    isEqualJson(toJson(namesOf(objectAt(crd, "status", "acceptedNames"))), acceptedNames) &&
    wanted.every((condition) => isConditionSaid(crd, condition));
  if (isSaid) return undefined;
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

/** All of the short names, or those it had. */
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

/** Once established, always established; before that it waits for the names, then for the API to be there. */
function judgeEstablished(crd: JsonObject, named: CrdCondition): CrdCondition {
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

function isConditionSaid(crd: JsonObject, { type, status, reason, message }: CrdCondition): boolean {
  const known = findCondition(crd, type);
  if (known === undefined) return false;
  return (
    textAt(known, "status") === status && textAt(known, "reason") === reason && textAt(known, "message") === message
  );
}

/** Plural and kind are always written, the others only where there is something to say. */
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
