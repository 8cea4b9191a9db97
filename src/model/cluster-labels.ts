// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { isLabelKey, isLabelValue } from "./label-name.ts";
import { quote } from "./text.ts";

/** Most labels of one cluster. People write them by hand; Nodes of managed Kubernetes have up to about forty. */
const maxClusterLabelCount = 64;

/**
 * Throws INVALID_ARGUMENT, naming the label, unless all are valid Kubernetes labels and there are at most
 * `maxClusterLabelCount`.
 */
export function assertClusterLabels(labels: ReadonlyMap<string, string>): void {
  if (labels.size > maxClusterLabelCount)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `a cluster has at most ${maxClusterLabelCount} labels, not ${labels.size}; remove some`,
    );
  for (const [key, value] of labels) {
    if (!isLabelKey(key)) throw new FlotillaError("INVALID_ARGUMENT", `${quote(cut(key))} is not a label key`);
    if (!isLabelValue(value))
      throw new FlotillaError("INVALID_ARGUMENT", `${quote(cut(value))} is not a label value (of ${quote(key)})`);
  }
}

/** Foreign text may be long; its beginning identifies it. */
function cut(text: string): string {
  return text.length <= 64 ? text : `${text.slice(0, 64)}...`;
}
