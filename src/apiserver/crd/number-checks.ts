// SPDX-License-Identifier: Apache-2.0
// Bounds of numbers, as Go compares them: whole numbers with whole bounds, where a bound loses its fraction.
import { invalidAt, unplaced, uselessFactor } from "./mistakes.ts";
import type { SchemaNode } from "./schema-node.ts";
import type { Mistake, ValidationResult } from "./validation-result.ts";

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
const maxFloat32 = 3.4028234663852886e38;

/** How near to a whole number, relative to its size, counts as whole: Go's validator says so for numbers that come from JSON. */
const wholeTolerance = 1e-9;

/** True for a number that Go would hold as an int64. `1.0` is one here, as JSON's text is not kept. */
export function isInt64(value: number | bigint): boolean {
  if (typeof value === "bigint") return value >= minInt64 && value <= maxInt64;
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** True for a float that is whole for the purposes of a schema. */
export function isWholeFloat(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return value > 0 && Math.abs(value - whole) / (value + whole) < wholeTolerance;
}

/** The number as Go prints a float64 that it is given without a format. */
export function formatFloat(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e21)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** The bounds of a schema as one check; undefined where it has none. `typeName` is its only type, or empty. */
export function compileNumberCheck(
  node: SchemaNode,
  typeName: string,
  format: string,
): (value: number | bigint, at: string, result: ValidationResult) => void {
  const isInRange = (value: number | bigint): boolean => fitsFormat(value, typeName, format);
  const rangeMistake = (what: string, at: string): Mistake => {
    const form = format === "" ? "(default format)" : `with format ${format}`;
    return unplaced(`${what} value must be of type ${typeName} ${form} in ${at}`);
  };
  const { multipleOf, minimum, maximum } = node;
  return (value, at, result) => {
    if (!isInRange(value)) result.add(rangeMistake("Checked", at));
    for (const [what, bound, check] of [
      ["MultipleOf", multipleOf, checkMultiple],
      ["Minimum boundary", minimum, checkMinimum],
      ["Maximum boundary", maximum, checkMaximum],
    ] as const) {
      if (bound === undefined) continue;
      const isBoundInRange = isInRange(bound);
      if (!isBoundInRange) result.add(rangeMistake(what, at));
      const isWhole = isBoundInRange && isInt64(value);
      const mistake = check({ node, at, value: isWhole ? value : Number(value), bound, isWhole });
      if (mistake !== undefined) result.add(mistake);
    }
  };
}

interface BoundCheck {
  readonly node: SchemaNode;
  readonly at: string;
  readonly value: number | bigint;
  readonly bound: number;
  /** Both sides are compared as int64. */
  readonly isWhole: boolean;
}

function checkMultiple({ at, value, bound, isWhole }: BoundCheck): Mistake | undefined {
  const factor = isWhole ? Number(toInt64(bound)) : bound;
  if (factor <= 0) return uselessFactor(at, factor);
  const isMultiple = isWhole
    ? BigInt(value) % BigInt(factor) === 0n
    : isWholeFloat(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
  if (isMultiple) return undefined;
  return invalidAt(at, value, `should be a multiple of ${formatBound(bound, isWhole)}`);
}

function checkMaximum({ node, at, value, bound, isWhole }: BoundCheck): Mistake | undefined {
  const limit = isWhole ? toInt64(bound) : bound;
  if (node.exclusiveMaximum ? value < limit : value <= limit) return undefined;
  const comparison = node.exclusiveMaximum ? "less than" : "less than or equal to";
  return invalidAt(at, value, `should be ${comparison} ${formatBound(bound, isWhole)}`);
}

function checkMinimum({ node, at, value, bound, isWhole }: BoundCheck): Mistake | undefined {
  const limit = isWhole ? toInt64(bound) : bound;
  if (node.exclusiveMinimum ? value > limit : value >= limit) return undefined;
  const comparison = node.exclusiveMinimum ? "greater than" : "greater than or equal to";
  return invalidAt(at, value, `should be ${comparison} ${formatBound(bound, isWhole)}`);
}

function formatBound(bound: number, isWhole: boolean): string {
  return isWhole ? toInt64(bound).toString() : formatFloat(bound);
}

/** As Go converts a float: the fraction is lost, and what is out of range becomes the least number there is. */
function toInt64(bound: number): bigint {
  return Number.isFinite(bound) && isInt64(Math.trunc(bound)) ? BigInt(Math.trunc(bound)) : minInt64;
}

function fitsFormat(value: number | bigint, typeName: string, format: string): boolean {
  if (typeName === "integer") {
    if (!isInt64(value)) return false;
    return format !== "int32" || (value >= -(2 ** 31) && value < 2 ** 31);
  }
  return format !== "float" || Math.abs(Number(value)) <= maxFloat32;
}
