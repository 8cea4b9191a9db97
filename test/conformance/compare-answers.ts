// SPDX-License-Identifier: Apache-2.0
import type { PlayedStep } from "./play-scenario.ts";

/** One place where two servers answered differently. */
export interface Difference {
  readonly scenario: string;
  readonly step: string;
  /** `status`, `headers.warning`, `body.items[0].metadata.name`. */
  readonly path: string;
  /** Undefined where that side has nothing. */
  readonly real: unknown;
  readonly ours: unknown;
}

/** Every place where the two plays of a scenario differ, in their order. Steps are matched by name. */
export function compareAnswers(
  scenario: string,
  real: readonly PlayedStep[],
  ours: readonly PlayedStep[],
): readonly Difference[] {
  const ourAnswers = new Map(ours.map(({ step, answer }) => [step, answer]));
  const realNames = new Set(real.map(({ step }) => step));
  const found = real.flatMap(({ step, answer }) =>
    compareValues("", answer, ourAnswers.get(step)).map((difference) => ({ scenario, step, ...difference })),
  );
  const extra = ours.filter(({ step }) => !realNames.has(step));
  return [...found, ...extra.map(({ step, answer }) => ({ scenario, step, path: "", real: undefined, ours: answer }))];
}

function compareValues(path: string, real: unknown, ours: unknown): readonly Omit<Difference, "scenario" | "step">[] {
  if (Object.is(real, ours)) return [];
  if (Array.isArray(real) && Array.isArray(ours)) {
    const longer = real.length > ours.length ? real : ours;
    return longer.flatMap((_item, index) => compareValues(`${path}[${index}]`, real[index], ours[index]));
  }
  if (isObject(real) && isObject(ours)) {
    const keys = [...new Set([...Object.keys(real), ...Object.keys(ours)])];
    return keys.flatMap((key) => compareValues(join(path, key), own(real, key), own(ours, key)));
  }
  return [{ path, real, ours }];
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function join(path: string, key: string): string {
  const part = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
  return path === "" ? part : `${path}.${part}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How much of one value is shown. */
const shownLength = 600;

/** The difference as a few lines that a person reads. */
export function printDifference({ scenario, step, path, real, ours }: Difference): string {
  return `${scenario}: ${step}\n  at    ${path}\n  real  ${show(real)}\n  ours  ${show(ours)}`;
}

function show(value: unknown): string {
  const text = value === undefined ? "(nothing)" : JSON.stringify(value);
  return text.length > shownLength ? `${text.slice(0, shownLength)}… (${text.length} characters)` : text;
}
