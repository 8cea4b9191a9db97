// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../kinds/object-identity.ts";
import type { KubeError } from "./kube-error.ts";

/** What a reflector tells, in order (KU10 to KU16). An object is as the server sent it and belongs to the receiver. */
export type ReflectorEvent =
  /** A list begins. Objects from here to `listed` are what the resource holds; another `listing` before that means it began anew. */
  | { readonly kind: "listing" }
  /**
   * An object as it now is, from the list or a watch. `serverWallMs` is the API server's own time when it was listed; absent for changes
   * of a watch, and where the server does not send its time.
   */
  | {
      readonly kind: "object";
      readonly object: unknown;
      readonly identity: ObjectIdentity;
      readonly serverWallMs?: number | undefined;
    }
  /** An object that is gone, in its last state. */
  | { readonly kind: "deleted"; readonly object: unknown; readonly identity: ObjectIdentity }
  /** The list is complete: what it did not hold is gone (L4). */
  | { readonly kind: "listed"; readonly objectCount: number; readonly byteCount: number }
  /** The picture is current as of now: a watch stands and has said so, by an event or a bookmark, or a poll has ended. */
  | { readonly kind: "current"; readonly mode: "watch" | "poll" }
  /** Something failed and is tried again; what was told before stays. `retryInMs` is from now. */
  | { readonly kind: "failed"; readonly error: KubeError; readonly attemptCount: number; readonly retryInMs: number }
  /** One object could not be read (KU15); the others go on. */
  | { readonly kind: "skipped"; readonly error: KubeError }
  /** A scan in poll mode took longer than its interval (N-60). */
  | { readonly kind: "overrun"; readonly tookMs: number; readonly intervalMs: number };

/** Takes what a reflector tells, one at a time: the next comes when this has resolved (KU15). */
export type ReflectorSink = (event: ReflectorEvent) => void | Promise<void>;
