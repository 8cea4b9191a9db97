// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { type ResourceId, resourceIdText } from "../model/gvr.ts";
import { quote } from "../model/text.ts";
import { defaultKinds, derivedKinds } from "./all-kinds.ts";
import { coreResources, rbacKinds } from "./core-kinds.ts";
import type { DerivedKind, Kind } from "./kind.ts";
import { isExact, type KindPattern, matchesPattern, parseKindPattern } from "./kind-pattern.ts";
import { patternExclusions } from "./pattern-exclusions.ts";
import { resolveKindName } from "./resolve-kind-name.ts";
import { secretKind } from "./secret-kind.ts";

/** `--kinds` and `--exclude-kinds` as given. An empty `kinds` selects the default kinds. */
export interface KindChoice {
  readonly kinds: readonly string[];
  readonly excludeKinds: readonly string[];
}

/** The selected kinds that have no file of their own (KI14). */
export interface OtherKinds {
  /** Named exactly. One that the cluster does not serve is reported as not installed. */
  readonly named: readonly ResourceId[];
  /** Patterns that are matched against the kinds in discovery. */
  readonly patterns: readonly KindPattern[];
  /** Whether a resource without a file of its own is selected. */
  wants(resource: ResourceId): boolean;
}

/** The kinds that a `KindChoice` selects. */
export interface ChosenKinds {
  /** The selected kinds with a file of their own, each once. */
  readonly chosen: readonly Kind[];
  /** The kinds derived from their objects (KI16). */
  readonly derived: readonly DerivedKind[];
  readonly others: OtherKinds;
}

/** Selects the default kinds. */
const defaultKeyword = "default";

const known: ReadonlyMap<string, Kind> = new Map(
  [...defaultKinds, secretKind].map((kind) => [resourceIdText(kind.resource), kind]),
);
const derivedNames: ReadonlyMap<string, DerivedKind> = new Map(
  derivedKinds.map((kind) => [resourceIdText(kind.resource), kind]),
);
const needed: readonly string[] = rbacKinds.map(({ resource }) => resourceIdText(resource));
const defaults: readonly string[] = defaultKinds.map(({ resource }) => resourceIdText(resource));
const knownNames = [...known.values(), ...derivedKinds].map(({ resource, kind }) => ({
  resource: resourceIdText(resource),
  kind,
  version: "",
}));

/**
 * Resolves `--kinds` and `--exclude-kinds` (KI23). RBAC's four kinds are always selected: without grants nothing may be
 * shown (L2). Selecting a derived kind selects its source kind too. Throws INVALID_ARGUMENT for a text that names no
 * kind.
 */
export function chooseKinds({ kinds, excludeKinds }: KindChoice): ChosenKinds {
  const wanted = kinds.length === 0 ? defaults.map(toPattern) : kinds.flatMap(parseEntry).flatMap(withSource);
  const excluded = excludeKinds.flatMap(parseEntry);
  const isExcluded = (resource: ResourceId): boolean => excluded.some((each) => matchesPattern(each, resource));
  const wants = (resource: ResourceId): boolean => isWanted(wanted, resource) && !isExcluded(resource);
  const names = new Set([...needed, ...orderOf(wanted).filter((text) => known.has(text) && wants(toPattern(text)))]);
  const derived = derivedKinds.filter(({ resource, from }) => names.has(resourceIdText(from)) && !isExcluded(resource));
  const named = wanted.filter((each) => isExact(each) && !isKnown(each) && !isExcluded(each));
  return {
    chosen: [...names].flatMap((text) => known.get(text) ?? []),
    derived,
    others: {
      named,
      patterns: wanted.filter((each) => !isExact(each)),
      wants: (resource) => !isKnown(resource) && wants(resource),
    },
  };
}

/** The pattern, and the source kind if it names a derived kind. */
function withSource(pattern: KindPattern): readonly KindPattern[] {
  const derived = derivedNames.get(resourceIdText(pattern));
  return derived === undefined ? [pattern] : [pattern, derived.from];
}

/** The kinds with a file of their own, in the order of the entries. A pattern lists them in the default order. */
function orderOf(wanted: readonly KindPattern[]): readonly string[] {
  return wanted.flatMap((each) => (isExact(each) ? [resourceIdText(each)] : defaults));
}

/**
 * An exact name selects that resource. A pattern selects its matches, except the kinds that patterns leave out (KI24).
 */
function isWanted(wanted: readonly KindPattern[], resource: ResourceId): boolean {
  if (wanted.some((each) => isSame(each, resource))) return true;
  if (patternExclusions.some(({ pattern }) => matchesPattern(pattern, resource))) return false;
  return wanted.some((each) => !isExact(each) && matchesPattern(each, resource));
}

/** Parses `default`, a pattern, an exact name, or any kubectl name of a kind with a file of its own. */
function parseEntry(text: string): readonly KindPattern[] {
  if (text === defaultKeyword) return defaults.map(toPattern);
  if (!text.includes("*")) {
    const meant = resolveKindName(knownNames, text);
    if (meant.length > 0) return meant.map(toPattern);
  }
  const pattern = parseKindPattern(text);
  if (pattern.group !== "" || !isExact(pattern) || coreResources.includes(pattern.resource)) return [pattern];
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `kind ${quote(text)} is not one of the core group; write it with its group, such as certificates.cert-manager.io`,
  );
}

function isKnown(resource: ResourceId): boolean {
  const text = resourceIdText(resource);
  return known.has(text) || derivedNames.has(text);
}

function isSame(a: ResourceId, b: ResourceId): boolean {
  return a.group === b.group && a.resource === b.resource;
}

function toPattern(text: string): KindPattern {
  return parseKindPattern(text);
}
