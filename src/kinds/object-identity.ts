// SPDX-License-Identifier: Apache-2.0
import { fieldOf, textOf } from "./fields.ts";

/** What names an object and its state; each text is "" where the API server gave none. */
export interface ObjectIdentity {
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Compared for equality only (KU17). */
  readonly resourceVersion: string;
}

/** Reads the identity of an object as an API server sent it. */
export function identityOf(object: unknown): ObjectIdentity {
  const metadata = fieldOf(object, "metadata");
  return {
    namespace: textOf(metadata, "namespace") ?? "",
    name: textOf(metadata, "name") ?? "",
    uid: textOf(metadata, "uid") ?? "",
    resourceVersion: textOf(metadata, "resourceVersion") ?? "",
  };
}

/** `namespace/name`: one text for an object within its kind, since no namespace holds "/". */
export function objectKeyText({ namespace, name }: Pick<ObjectIdentity, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}
