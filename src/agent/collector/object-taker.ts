// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../../kinds/fields.ts";

/** An object's name as a delete needs it; texts are "" where the server gave none. */
export interface ObjectIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The name of an object, as far as it has one. */
export function identify(object: unknown): ObjectIdentity {
  return {
    namespace: textOf(object, "metadata", "namespace") ?? "",
    name: textOf(object, "metadata", "name") ?? "",
    uid: textOf(object, "metadata", "uid") ?? "",
  };
}

/** One text for a name: "/" is in no namespace. */
export function keyOf({ namespace, name }: Pick<ObjectIdentity, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

/** What becomes of the objects of one resource: rows of its kind, or rows derived from it. Calls take effect at once. */
export interface ObjectTaker {
  /** A list begins; what it does not hold is gone when it ends (L4). Another beginning before that makes the first one void. */
  beginList(): void;
  /** `serverWallMs`: the API server's time when it listed the object; absent otherwise. */
  takeObject(object: unknown, serverWallMs?: number): void;
  takeDeleted(identity: ObjectIdentity): void;
  /** `keepsUnseen`: something of the list could not be read, so what it did not hold proves nothing. */
  endList(keepsUnseen: boolean): void;
  /** The cluster has said that it serves no such resource: there are no objects (SE28). */
  empty(): void;
  /** Lets go of timers. */
  close(): void;
}
