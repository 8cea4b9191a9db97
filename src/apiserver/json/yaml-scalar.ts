// SPDX-License-Identifier: Apache-2.0
// The value of a plain YAML scalar, as in kube-apiserver's parser: YAML 1.1 with some differences.

/** A scalar as a JSON value. */
export type YamlScalar = null | boolean | number | bigint | string;

const words: ReadonlyMap<string, null | boolean> = new Map([
  ...["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"].map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
]);
const floatPattern = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const radixPattern = /^([-+]?)(0x[0-9a-fA-F]+|0b[01]+|0o?[0-7]+)$/;
const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/** The value of a scalar without quotes and tag. `.inf` and `.nan` give numbers that JSON lacks. */
export function resolvePlainScalar(source: string): YamlScalar {
  const word = words.get(source);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(source)) return source;
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(source)) return source.startsWith("-") ? -Infinity : Infinity;
  if (/^\.(?:nan|NaN|NAN)$/.test(source)) return Number.NaN;
  return resolveNumber(source.replaceAll("_", "")) ?? source;
}

/** Undefined for a text that is not a number. */
export function resolveNumber(text: string): number | bigint | undefined {
  const radix = radixPattern.exec(text);
  if (radix !== null) {
    const [, sign, digits = ""] = radix;
    // An octal number of YAML 1.1 has no letter after its zero.
    const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
    return shortest(sign === "-" ? -magnitude : magnitude);
  }
  if (/^[-+]?[0-9]+$/.test(text) && !/^[-+]?0[0-9]/.test(text)) return shortest(BigInt(text.replace(/^\+/, "")));
  if (!floatPattern.test(text)) return undefined;
  const float = Number(text);
  return Number.isFinite(float) ? float : undefined;
}

/** As for JSON: exact up to 64 bits, a double beyond. */
function shortest(integer: bigint): number | bigint {
  const short = Number(integer);
  return Number.isSafeInteger(short) || integer < minInt64 || integer > maxInt64 ? short : integer;
}
