// SPDX-License-Identifier: Apache-2.0
import { fieldOf, isJsonObject } from "./parse-json.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Takes from an object, in place, what is not to leave the decoder. Must not throw, whatever it is given. */
export type StripObject = (object: unknown) => void;

/** The default, which agents use. Drops what must not go beyond the decoder (L18) and is most of the bytes: managedFields and the last applied configuration. Changes `object`. */
export function stripObject(object: unknown): void {
  const metadata = fieldOf(object, "metadata");
  if (!isJsonObject(metadata)) return;
  dropManagedFields(metadata);
  const annotations = fieldOf(metadata, "annotations");
  if (isJsonObject(annotations) && Object.hasOwn(annotations, lastApplied))
    Reflect.deleteProperty(annotations, lastApplied);
}

/** By the operator: it leaves an object whose last field goes as fast as it was, which `Reflect.deleteProperty` does not. */
function dropManagedFields(metadata: { managedFields?: unknown }): void {
  delete metadata.managedFields;
}
