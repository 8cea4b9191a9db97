// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../../kinds/object-identity.ts";

/** What becomes of the objects of one resource: rows of its kind, or rows derived from it. Calls take effect at once. */
export interface ObjectHandler {
  /** A list begins; what it does not hold is gone when it ends (L4). Another beginning before that makes the first one void. */
  beginList(): void;
  /** `serverWallMs`: the API server's time when it listed the object; absent otherwise. */
  takeObject(object: unknown, identity: ObjectIdentity, serverWallMs?: number): void;
  takeDeleted(identity: ObjectIdentity): void;
  /** `keepsUnseen`: something of the list could not be read, so what it did not hold proves nothing. */
  endList(keepsUnseen: boolean): void;
  /** The cluster has said that it serves no such resource: there are no objects (SE28). */
  empty(): void;
  /** Lets go of timers. */
  close(): void;
}
