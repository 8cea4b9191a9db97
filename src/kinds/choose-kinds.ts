// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { type ResourceId, resourceIdText } from "../model/gvr.ts";
import { quote } from "../model/text.ts";
import { defaultKinds, derivedKinds } from "./all-kinds.ts";
import { rbacKinds } from "./core-kinds.ts";
import { coreNames } from "./core-names.ts";
import type { DerivedKind, Kind } from "./kind.ts";
import { isExact, type KindPattern, matchesPattern, parseKindPattern } from "./kind-pattern.ts";
import { leftOutKinds } from "./left-out-kinds.ts";
import { matchKinds } from "./match-kind.ts";
import { secretKind } from "./secret.ts";

/** `--kinds` and `--exclude-kinds` as they were written. Nothing wanted means the default. */
export interface KindChoice {
  readonly kinds: readonly string[];
  readonly excludeKinds: readonly string[];
}

/** Which kinds are followed that have no file of their own (KI14). */
export interface OtherKinds {
  /** Named one by one: what the cluster does not serve of them is told as not installed. */
  readonly named: readonly ResourceId[];
  /** What is wanted of the kinds that discovery lists. */
  readonly patterns: readonly KindPattern[];
  /** Whether a resource without a file of its own is to be followed. */
  wants(resource: ResourceId): boolean;
}

/** What a choice comes to. */
export interface ChosenKinds {
  /** The kinds with a file of their own to collect, each once. */
  readonly chosen: readonly Kind[];
  /** What comes of their objects besides (KI16). */
  readonly derived: readonly DerivedKind[];
  readonly others: OtherKinds;
}

/** Stands for the kinds that are collected where none is named. */
const defaultWord = "default";

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

/** Follows no kind without a file of its own. */
export const noOtherKinds: OtherKinds = { named: [], patterns: [], wants: () => false };

/**
 * The one reading of `--kinds` and `--exclude-kinds` (KI23). RBAC's four are always among the chosen: without grants nothing may be shown (L2).
 * A derived kind stands for the kind that it comes from. Throws INVALID_ARGUMENT for what names no kind.
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

/** A derived kind, and the kind that it comes from. */
function withSource(pattern: KindPattern): readonly KindPattern[] {
  const derived = derivedNames.get(resourceIdText(pattern));
  return derived === undefined ? [pattern] : [pattern, derived.from];
}

/** The kinds with a file of their own in the order in which they were wanted, those of a pattern in the order of collecting. */
function orderOf(wanted: readonly KindPattern[]): readonly string[] {
  return wanted.flatMap((each) => (isExact(each) ? [resourceIdText(each)] : defaults));
}

/** A whole name wants what it names; a pattern what it matches, without what patterns leave out (KI24). */
function isWanted(wanted: readonly KindPattern[], resource: ResourceId): boolean {
  if (wanted.some((each) => isSame(each, resource))) return true;
  if (leftOutKinds.some(({ pattern }) => matchesPattern(pattern, resource))) return false;
  return wanted.some((each) => !isExact(each) && matchesPattern(each, resource));
}

/** A word for many, a pattern, a whole name, or a name that kubectl takes of a kind with a file of its own. */
function parseEntry(text: string): readonly KindPattern[] {
  if (text === defaultWord) return defaults.map(toPattern);
  if (!text.includes("*")) {
    const meant = matchKinds(knownNames, text);
    if (meant.length > 0) return meant.map(toPattern);
  }
  const pattern = parseKindPattern(text);
  if (pattern.group !== "" || !isExact(pattern) || coreNames.includes(pattern.resource)) return [pattern];
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
