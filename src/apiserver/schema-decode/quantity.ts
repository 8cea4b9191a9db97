// SPDX-License-Identifier: Apache-2.0
// Kubernetes' resource quantities: `500m`, `1.5Gi`, `12e6`. Exact at any size, with bounded work.

/** The format of a quantity: with k, M, G; with Ki, Mi, Gi; or with e3, e6. */
export type QuantityFormat = "decimalSi" | "binarySi" | "decimalExponent";

/** The amount `unscaled` times ten to the power of `scale`. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The original text, if Kubernetes keeps it as canonical although it may not be the shortest. */
  readonly text: string | undefined;
}

/** Kubernetes' message for an invalid quantity. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
}

/** Quantities have at most nine decimals; finer ones are rounded away from zero. */
const minScale = -9;
/** Amounts with more digits leave Kubernetes' fast path, the only one that keeps original texts. */
const fastDigitCount = 18;
/** Kubernetes caps binary amounts at the largest int64. */
const maxBinaryAmount = 2n ** 63n - 1n;
/** kube-apiserver has no limit. Converting digits takes more than linear time, and no amount needs as many. */
const maxTextLength = 1_000;

const decimalExponents: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const decimalSuffixes: ReadonlyMap<number, string> = new Map(
  [...decimalExponents].map(([suffix, ten]) => [ten, suffix]),
);
const binaryExponents: ReadonlyMap<string, number> = new Map([
  ["Ki", 10],
  ["Mi", 20],
  ["Gi", 30],
  ["Ti", 40],
  ["Pi", 50],
  ["Ei", 60],
]);
const binarySuffixes = ["", ...binaryExponents.keys()];

/** Zero, the value of an absent quantity. */
export const zeroQuantity: Quantity = { unscaled: 0n, scale: 0, format: "decimalSi", text: "0" };

/** Parses a quantity. Throws a QuantityError. */
export function parseQuantity(text: string): Quantity {
  if (text === "0") return zeroQuantity;
  const match = text === "" ? null : /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/.exec(text);
  if (match === null)
    throw new QuantityError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  if (text.length > maxTextLength) throw new QuantityError("unable to parse numeric part of quantity");
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const { base, exponent, format } = parseSuffix(suffix);
  const number = whole.replace(/^0+/, "") === "" ? "0" : whole.replace(/^0+/, "");
  const digits = `${number}${fraction}`;
  const amount = BigInt(digits) * (sign === "-" ? -1n : 1n);
  return base === 2
    ? binaryQuantity(text, { amount, exponent, wholeDigitCount: number.length, fractionDigitCount: fraction.length })
    : decimalQuantity(text, { amount, digits, scale: wrap32(exponent - fraction.length), format });
}

/** Formats a quantity as Kubernetes does. */
export function formatQuantity(quantity: Quantity): string {
  const { unscaled, scale, format, text } = quantity;
  if (text !== undefined) return text;
  if (unscaled === 0n) return "0";
  if (format === "binarySi") {
    const whole = wholeAmount(quantity);
    if (whole !== undefined && (whole >= 1024n || whole <= -1024n)) {
      const { rest, times } = removeFactors(whole, 1024n);
      return `${rest}${binarySuffixes[times] ?? ""}`;
    }
  }
  const { rest, times } = removeFactors(unscaled, 10n);
  const exponent = scale + times;
  const excess = ((exponent % 3) + 3) % 3;
  const number = rest * 10n ** BigInt(excess);
  const ten = exponent - excess;
  if (format === "decimalExponent") return ten === 0 ? `${number}` : `${number}e${ten}`;
  return `${number}${decimalSuffixes.get(ten) ?? ""}`;
}

/** Compares two quantities: -1, 0 or 1. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (signOf(a.unscaled) !== signOf(b.unscaled)) return signOf(a.unscaled) < signOf(b.unscaled) ? -1 : 1;
  if (a.unscaled === 0n) return 0;
  // Amounts of different magnitude are compared without expanding their zeros.
  const magnitude = digitCount(a.unscaled) + a.scale - digitCount(b.unscaled) - b.scale;
  if (magnitude !== 0) return Math.sign(magnitude) * signOf(a.unscaled);
  const shift = a.scale - b.scale;
  const left = shift > 0 ? a.unscaled * 10n ** BigInt(shift) : a.unscaled;
  const right = shift < 0 ? b.unscaled * 10n ** BigInt(-shift) : b.unscaled;
  return left < right ? -1 : Number(left > right);
}

/** The canonical form of a quantity's text. Throws a QuantityError. */
export function canonicalQuantity(text: string): string {
  return formatQuantity(parseQuantity(text));
}

function parseSuffix(suffix: string): { base: 2 | 10; exponent: number; format: QuantityFormat } {
  const decimal = decimalExponents.get(suffix);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: "decimalSi" };
  const binary = binaryExponents.get(suffix);
  if (binary !== undefined) return { base: 2, exponent: binary, format: "binarySi" };
  const exponentText = /^[eE]([+-]?[0-9]+)$/.exec(suffix)?.[1];
  const exponent = exponentText === undefined ? undefined : BigInt(exponentText.replace(/^\+/, ""));
  if (exponent === undefined || BigInt.asIntN(64, exponent) !== exponent)
    throw new QuantityError("unable to parse quantity's suffix");
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: "decimalExponent" };
}

function decimalQuantity(
  text: string,
  part: { amount: bigint; digits: string; scale: number; format: QuantityFormat },
): Quantity {
  const { amount, digits, scale, format } = part;
  if (digits.length > fastDigitCount || scale < minScale) return { ...roundUp(amount, scale), format, text: undefined };
  const isKept = scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return { unscaled: amount, scale, format, text: isKept ? text : undefined };
}

function binaryQuantity(
  text: string,
  part: { amount: bigint; exponent: number; wholeDigitCount: number; fractionDigitCount: number },
): Quantity {
  const { amount, exponent, wholeDigitCount, fractionDigitCount } = part;
  const unscaled = amount << BigInt(exponent);
  // Kubernetes estimates whether the product fits an int64, and keeps the text only if it certainly does.
  const spare = 15 - wholeDigitCount - Math.trunc((exponent * 3) / 10) - 1;
  if (fractionDigitCount === 0 && spare >= 0)
    return { unscaled, scale: 0, format: "binarySi", text: (amount & 7n) === 0n ? undefined : text };
  const rounded = roundUp(unscaled, -fractionDigitCount);
  const one: Quantity = { unscaled: 1n, scale: 0, format: "binarySi", text: undefined };
  const size: Quantity = { ...one, ...rounded, unscaled: rounded.unscaled < 0n ? -rounded.unscaled : rounded.unscaled };
  if (compareQuantities(size, { ...one, unscaled: maxBinaryAmount }) > 0)
    return { ...one, unscaled: amount < 0n ? -maxBinaryAmount : maxBinaryAmount };
  const isFraction = size.unscaled !== 0n && compareQuantities(size, one) < 0;
  return { ...rounded, format: isFraction ? "decimalSi" : "binarySi", text: undefined };
}

/** The amount with at most nine decimals, rounded away from zero. */
function roundUp(unscaled: bigint, scale: number): { unscaled: bigint; scale: number } {
  if (scale >= minScale || unscaled === 0n) return { unscaled, scale: unscaled === 0n ? 0 : scale };
  const surplus = minScale - scale;
  if (surplus > digitCount(unscaled)) return { unscaled: BigInt(signOf(unscaled)), scale: minScale };
  const divisor = 10n ** BigInt(surplus);
  const rest = unscaled % divisor === 0n ? 0n : BigInt(signOf(unscaled));
  return { unscaled: unscaled / divisor + rest, scale: minScale };
}

/** The amount as an integer, if it is one. Only for amounts with a binary suffix: they have no large scale. */
function wholeAmount({ unscaled, scale }: Quantity): bigint | undefined {
  if (scale >= 0) return unscaled * 10n ** BigInt(scale);
  const divisor = 10n ** BigInt(-scale);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

function removeFactors(value: bigint, factor: bigint): { rest: bigint; times: number } {
  let rest = value;
  let times = 0;
  for (; rest % factor === 0n; rest /= factor) times += 1;
  return { rest, times };
}

function signOf(value: bigint): number {
  return value < 0n ? -1 : Number(value > 0n);
}

function digitCount(value: bigint): number {
  return String(value < 0n ? -value : value).length;
}

/** Kubernetes holds powers of ten in 32 bits. */
function wrap32(value: number): number {
  return value | 0;
}
