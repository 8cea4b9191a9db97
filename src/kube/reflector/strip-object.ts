// SPDX-License-Identifier: Apache-2.0
import { fieldOf, isJsonObject } from "./parse-kube-json.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Removes fields from an object in place that must not leave the decoder. Must not throw for any input. */
export type StripObject = (object: unknown) => void;

/**
 * The default, which agents use. Removes managedFields and the last applied configuration: they must not leave the
 * decoder (L18) and are most of the bytes. The fields become undefined; deleting them would turn each object into a
 * dictionary, which is slower to read and takes more memory.
 */
export function stripObject(object: unknown): void {
  const metadata = fieldOf(object, "metadata");
  if (!isJsonObject(metadata)) return;
  drop(metadata, "managedFields");
  const annotations = fieldOf(metadata, "annotations");
  if (isJsonObject(annotations)) drop(annotations, lastApplied);
}

function drop(value: Record<string, unknown>, name: string): void {
  if (Object.hasOwn(value, name)) value[name] = undefined;
}
