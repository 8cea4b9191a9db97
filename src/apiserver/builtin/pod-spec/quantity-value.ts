// SPDX-License-Identifier: Apache-2.0
// Amounts as numbers that can be compared and added: decoding has brought the text to its canonical form.
import { formatQuantity, parseQuantity, QuantityError } from "../../schema-decode/quantity.ts";

/** Quantities are kept to nine decimals, as Kubernetes keeps them. */
const nanoDigits = 9;
const nanosPerUnit = 10n ** BigInt(nanoDigits);
const nanosPerMilli = 10n ** 6n;

/** Powers of ten beyond this are no amount of anything: Kubernetes caps quantities at 2^63-1. */
const maxScale = 30;

/** The amount in units of 10^-9, rounded up; undefined for what is no quantity. */
export function quantityNanos(text: string): bigint | undefined {
  try {
    const { unscaled, scale } = parseQuantity(text);
    return unscaled * 10n ** BigInt(Math.min(scale, maxScale) + nanoDigits);
  } catch (reason) {
    if (reason instanceof QuantityError) return undefined;
    throw reason;
  }
}

/** Which of two quantities is larger: negative, zero or positive, as a sort function says it. What is no quantity counts as zero. */
export function compareQuantities(a: string, b: string): number {
  const difference = (quantityNanos(a) ?? 0n) - (quantityNanos(b) ?? 0n);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** Whether the amount is a whole number of units. */
export function isWholeQuantity(text: string): boolean {
  return (quantityNanos(text) ?? 0n) % nanosPerUnit === 0n;
}

/** The text with everything finer than a thousandth rounded up, which the API does with every resource list. */
export function roundUpToMilli(text: string): string {
  const nanos = quantityNanos(text);
  if (nanos === undefined || nanos % nanosPerMilli === 0n) return text;
  return formatNanos((nanos > 0n ? ceilDivide(nanos, nanosPerMilli) : nanos / nanosPerMilli) * nanosPerMilli);
}

/** The shortest decimal form: `1500m`, `2`, `10M`. */
export function formatNanos(nanos: bigint): string {
  return formatQuantity({ unscaled: nanos, scale: -nanoDigits, format: "decimalSi", text: undefined });
}

function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
