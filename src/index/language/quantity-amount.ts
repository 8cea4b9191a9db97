// SPDX-License-Identifier: Apache-2.0

/** What the suffixes of Kubernetes quantities multiply with. */
const units: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["n", 1e-9],
  ["u", 1e-6],
  ["m", 1e-3],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["P", 1e15],
  ["E", 1e18],
  ["Ki", 2 ** 10],
  ["Mi", 2 ** 20],
  ["Gi", 2 ** 30],
  ["Ti", 2 ** 40],
  ["Pi", 2 ** 50],
  ["Ei", 2 ** 60],
]);

/** Bounded, so that no text makes a number that is not finite. */
const form = /^([+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20}))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?$/;

/** The amount of a Kubernetes quantity (`1Gi`, `500m`, `1e3`) or of a plain number; undefined for any other text. */
export function parseQuantity(text: string): number | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, digits = "", suffix = "", exponent] = match;
  return Number(digits) * (exponent === undefined ? (units.get(suffix) ?? 1) : 10 ** Number(exponent));
}
