// SPDX-License-Identifier: Apache-2.0
import { textOf } from "./fields.ts";

/**
 * The storage class of a volume or claim. The annotation is older than the field, and Kubernetes gives it precedence.
 */
export function storageClassOf(object: unknown): string | undefined {
  return (
    textOf(object, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class") ??
    textOf(object, "spec", "storageClassName")
  );
}
