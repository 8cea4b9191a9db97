// SPDX-License-Identifier: Apache-2.0
// Bounds of numbers, as Go compares them: an integer is compared with the bound's integer part.

import type { SchemaNode } from "../schema/schema-node.ts";
import { errorWithoutField, invalidAt, multipleOfNotPositive } from "./schema-errors.ts";
import type { SchemaError, ValidationResult } from "./validation-result.ts";

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
const maxFloat32 = 3.4028234663852886e38;

/** The relative tolerance of a whole number: that of Go's validator for numbers from JSON. */
const wholeTolerance = 1e-9;

/** Whether Go would decode the number as an int64. `1.0` counts as one, because the JSON text is not kept. */
export function isInt64(value: number | bigint): boolean {
  if (typeof value === "bigint") return value >= minInt64 && value <= maxInt64;
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** Whether a schema accepts the float as a whole number. */
export function isWholeFloat(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return value > 0 && Math.abs(value - whole) / (value + whole) < wholeTolerance;
}

/** Formats a float64 as Go's default format does. */
export function formatFloat(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e21)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** Compiles the bounds of a schema into one check. `typeName` is its only type, or empty. */
export function compileNumberCheck(
  node: SchemaNode,
  typeName: string,
  format: string,
): (value: number | bigint, at: string, result: ValidationResult) => void {
  const isInRange = (value: number | bigint): boolean => fitsFormat(value, typeName, format);
  const rangeError = (what: string, at: string): SchemaError => {
    const form = format === "" ? "(default format)" : `with format ${format}`;
    return errorWithoutField(`${what} value must be of type ${typeName} ${form} in ${at}`);
  };
  const { multipleOf, minimum, maximum } = node;
  return (value, at, result) => {
    if (!isInRange(value)) result.add(rangeError("Checked", at));
    for (const [what, bound, check] of [
      ["MultipleOf", multipleOf, checkMultiple],
      ["Minimum boundary", minimum, checkMinimum],
      ["Maximum boundary", maximum, checkMaximum],
    ] as const) {
      if (bound === undefined) continue;
      const isBoundInRange = isInRange(bound);
      if (!isBoundInRange) result.add(rangeError(what, at));
      const isWhole = isBoundInRange && isInt64(value);
      const error = check({ node, at, value: isWhole ? value : Number(value), bound, isWhole });
      if (error !== undefined) result.add(error);
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

function checkMultiple({ at, value, bound, isWhole }: BoundCheck): SchemaError | undefined {
  const factor = isWhole ? Number(toInt64(bound)) : bound;
  if (factor <= 0) return multipleOfNotPositive(at, factor);
  const isMultiple = isWhole
    ? BigInt(value) % BigInt(factor) === 0n
    : isWholeFloat(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
  if (isMultiple) return undefined;
  return invalidAt(at, value, `should be a multiple of ${formatBound(bound, isWhole)}`);
}

function checkMaximum({ node, at, value, bound, isWhole }: BoundCheck): SchemaError | undefined {
  const limit = isWhole ? toInt64(bound) : bound;
  if (node.exclusiveMaximum ? value < limit : value <= limit) return undefined;
  const comparison = node.exclusiveMaximum ? "less than" : "less than or equal to";
  return invalidAt(at, value, `should be ${comparison} ${formatBound(bound, isWhole)}`);
}

function checkMinimum({ node, at, value, bound, isWhole }: BoundCheck): SchemaError | undefined {
  const limit = isWhole ? toInt64(bound) : bound;
  if (node.exclusiveMinimum ? value > limit : value >= limit) return undefined;
  const comparison = node.exclusiveMinimum ? "greater than" : "greater than or equal to";
  return invalidAt(at, value, `should be ${comparison} ${formatBound(bound, isWhole)}`);
}

function formatBound(bound: number, isWhole: boolean): string {
  return isWhole ? toInt64(bound).toString() : formatFloat(bound);
}

/** As Go converts a float: the fraction is lost, and an out of range value becomes the smallest int64. */
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
