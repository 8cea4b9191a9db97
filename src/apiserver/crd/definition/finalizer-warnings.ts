// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../../model/text.ts";
import { type JsonObject, textsAt } from "../../json/json.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";

/** Kubernetes' own finalizers, which have no domain. */
const standardFinalizers: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Warnings of added finalizers whose names are not qualified by a domain, sorted bytewise. */
export function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const known = old === undefined ? [] : textsAt(old, "metadata", "finalizers");
  const added = new Set(textsAt(object, "metadata", "finalizers").filter((name) => !known.includes(name)));
  return [...added].toSorted(compareUtf8).flatMap((name) => {
    const say = (what: string): string => `metadata.finalizers: ${JSON.stringify(name)}: ${what}`;
    const errors = labelKeyErrors(name).map(say);
    if (name.includes("/") || standardFinalizers.has(name)) return errors;
    const form = name.includes(".") ? " including a path (/)" : "";
    const advice = `prefer a domain-qualified finalizer name${form} to avoid accidental conflicts with other finalizer writers`;
    return [...errors, say(advice)];
  });
}
