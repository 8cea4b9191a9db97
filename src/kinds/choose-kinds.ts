// SPDX-License-Identifier: Apache-2.0
import { resourceIdText } from "../model/gvr.ts";
import { defaultKinds, derivedKinds } from "./all-kinds.ts";
import { rbacKinds } from "./core-kinds.ts";
import type { DerivedKind, Kind } from "./kind.ts";
import { secretKind } from "./secret.ts";

/** What is wanted and what is left out, as texts of resource ids. Nothing wanted means the default. */
export interface KindChoice {
  readonly kinds: readonly string[];
  readonly excludeKinds: readonly string[];
}

/** What a choice comes to. */
export interface ChosenKinds {
  /** The kinds to collect, each once. */
  readonly chosen: readonly Kind[];
  /** What comes of their objects besides (KI16). */
  readonly derived: readonly DerivedKind[];
  /** Names that nobody knows a kind for. */
  readonly unknown: readonly string[];
}

const known: ReadonlyMap<string, Kind> = new Map(
  [...defaultKinds, secretKind].map((kind) => [resourceIdText(kind.resource), kind]),
);
const sources: ReadonlyMap<string, string> = new Map(
  derivedKinds.map(({ resource, from }) => [resourceIdText(resource), resourceIdText(from)]),
);
const needed: ReadonlySet<string> = new Set(rbacKinds.map(({ resource }) => resourceIdText(resource)));

/**
 * The one reading of `--kinds` and `--exclude-kinds`. RBAC's four are always among the chosen: without grants nothing may be shown (L2).
 * A derived kind stands for the kind that it comes from.
 */
export function chooseKinds({ kinds, excludeKinds }: KindChoice): ChosenKinds {
  const unknown = [...kinds, ...excludeKinds].filter((text) => !known.has(text) && !sources.has(text));
  const wanted =
    kinds.length === 0 ? defaultKinds.map(({ resource }) => resourceIdText(resource)) : kinds.map(collectedOf);
  const excluded = new Set(excludeKinds);
  const names = new Set([...needed, ...wanted.filter((text) => !excluded.has(text))]);
  const derived = derivedKinds.filter(
    ({ resource, from }) => names.has(resourceIdText(from)) && !excluded.has(resourceIdText(resource)),
  );
  return { chosen: [...names].flatMap((text) => known.get(text) ?? []), derived, unknown };
}

function collectedOf(text: string): string {
  return sources.get(text) ?? text;
}
