// SPDX-License-Identifier: Apache-2.0
// Quantities as numbers that can be compared and added. Decoding has made the text canonical.

import { type DraftObject, getKey, setKey } from "../../json/json.ts";
import { objectAt } from "../../json/json-fields.ts";
import { formatQuantity, parseQuantity, QuantityError } from "../../schema-decode/quantity.ts";

/** Kubernetes keeps nine decimals of a quantity. */
const nanoDigits = 9;
const nanosPerUnit = 10n ** BigInt(nanoDigits);
const nanosPerMilli = 10n ** 6n;

/** Caps the power of ten, far above the maximum of Kubernetes, 2^63-1. */
const maxScale = 30;

/** The quantity in units of 10^-9, rounded up; undefined for invalid text. */
export function quantityNanos(text: string): bigint | undefined {
  try {
    const { unscaled, scale } = parseQuantity(text);
    return unscaled * 10n ** BigInt(Math.min(scale, maxScale) + nanoDigits);
  } catch (reason) {
    if (reason instanceof QuantityError) return undefined;
    throw reason;
  }
}

/** Compares two quantities: negative, zero or positive, as for a sort. Invalid text counts as zero. */
export function compareQuantities(a: string, b: string): number {
  const difference = (quantityNanos(a) ?? 0n) - (quantityNanos(b) ?? 0n);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** Whether the quantity is an integer. */
export function isWholeQuantity(text: string): boolean {
  return (quantityNanos(text) ?? 0n) % nanosPerUnit === 0n;
}

/** Rounds up to thousandths, as the API does in every resource list. */
export function roundUpToMilli(text: string): string {
  const nanos = quantityNanos(text);
  if (nanos === undefined || nanos % nanosPerMilli === 0n) return text;
  return formatNanos((nanos > 0n ? ceilDivide(nanos, nanosPerMilli) : nanos / nanosPerMilli) * nanosPerMilli);
}

/** Formats as the shortest decimal: `1500m`, `2`, `10M`. */
export function formatNanos(nanos: bigint): string {
  return formatQuantity({ unscaled: nanos, scale: -nanoDigits, format: "decimalSi", text: undefined });
}

function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Rounds the quantities of a resource list up to thousandths. */
export function roundResourceList(list: DraftObject | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const amount = getKey(list, name);
    if (typeof amount === "string") setKey(list, name, roundUpToMilli(amount));
  }
}

/** Sets the defaults of a `resources` field. */
export function setResourceDefaults(resources: DraftObject | undefined): void {
  if (resources === undefined) return;
  roundResourceList(objectAt(resources, "limits"));
  roundResourceList(objectAt(resources, "requests"));
}
