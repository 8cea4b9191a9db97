// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "./text.ts";

const form = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

/** Orders API versions as Kubernetes does, best first: v2, v1, v2beta1, v1beta2, v1alpha1, then other forms. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [rankOf(a), rankOf(b)];
  const at = one.findIndex((part, index) => part !== other[index]);
  return at < 0 ? compareUtf8(a, b) : (other[at] ?? 0) - (one[at] ?? 0);
}

/** Stability, major number and preview number: larger is better. */
function rankOf(version: string): readonly [number, number, number] {
  const [whole, major = "", preview, number = "0"] = form.exec(version) ?? [];
  if (whole === undefined) return [0, 0, 0];
  return [preview === undefined ? 3 : preview === "beta" ? 2 : 1, Number(major), Number(number)];
}
