// SPDX-License-Identifier: Apache-2.0
import { fieldOf, isJsonObject, textOf } from "./parse-json.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Takes from an object, in place, what is not to leave the decoder. Must not throw, whatever it is given. */
export type StripObject = (object: unknown) => void;

/** The default, which agents use. Drops what must not go beyond the decoder (L18) and is most of the bytes: managedFields and the last applied configuration. Changes `object`. */
export function stripObject(object: unknown): void {
  const metadata = fieldOf(object, "metadata");
  if (!isJsonObject(metadata)) return;
  Reflect.deleteProperty(metadata, "managedFields");
  const annotations = fieldOf(metadata, "annotations");
  if (isJsonObject(annotations)) Reflect.deleteProperty(annotations, lastApplied);
}

/** What names an object and its state. Empty where the server did not say. */
export interface ObjectIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Compared for equality only (KU17). */
  readonly resourceVersion: string;
}

/** Reads the identity of an object as a server sent it. */
export function identityOf(object: unknown): ObjectIdentity {
  const metadata = fieldOf(object, "metadata");
  return {
    namespace: textOf(metadata, "namespace"),
    name: textOf(metadata, "name"),
    uid: textOf(metadata, "uid"),
    resourceVersion: textOf(metadata, "resourceVersion"),
  };
}
