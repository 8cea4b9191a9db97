// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../../kinds/object-identity.ts";

/** Handles the objects of one resource: makes its rows, or rows derived from it. Calls take effect at once. */
export interface ObjectHandler {
  /**
   * Begins a list. Objects not in it are deleted when it ends (L4). A second call before that discards the first list.
   */
  beginList(): void;
  /** `serverWallMs`: the API server's time when it listed the object; absent otherwise. */
  takeObject(object: unknown, identity: ObjectIdentity, serverWallMs?: number): void;
  takeDeleted(identity: ObjectIdentity): void;
  /** `keepsUnseen`: part of the list was unreadable, so an object's absence proves nothing. */
  endList(keepsUnseen: boolean): void;
  /** The cluster does not serve this resource: there are no objects (SE28). */
  empty(): void;
  /** Cancels timers. */
  close(): void;
}
