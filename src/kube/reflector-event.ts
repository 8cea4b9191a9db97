// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../kinds/object-identity.ts";
import type { KubeError } from "./kube-error.ts";

/**
 * The events of a reflector, in order (KU10 to KU16). An object is as the server sent it and belongs to the receiver.
 */
export type ReflectorEvent =
  /**
   * A list begins. Objects from here to `listed` are the resource's content. Another `listing` before `listed` means
   * that the list was restarted. With `byNamespace`, later lists of single namespaces are not announced: they delete
   * only objects that a list or watch has delivered.
   */
  | { readonly kind: "listing"; readonly byNamespace?: true }
  /**
   * The current state of an object, from the list or a watch. `serverWallMs` is the API server's time when it was
   * listed; absent for changes of a watch, and if the server sends no Date.
   */
  | {
      readonly kind: "object";
      readonly object: unknown;
      readonly identity: ObjectIdentity;
      readonly serverWallMs?: number | undefined;
    }
  /** A deleted object, in its last state. */
  | { readonly kind: "deleted"; readonly object: unknown; readonly identity: ObjectIdentity }
  /** The list is complete: objects that it did not contain are gone (L4). */
  | { readonly kind: "listed"; readonly objectCount: number; readonly byteCount: number }
  /** The state is current: an open watch has confirmed it by an event or a bookmark, or a poll has ended. */
  | { readonly kind: "current"; readonly mode: "watch" | "poll" }
  /** Something failed and will be retried; earlier events stay valid. `retryInMs` counts from now. */
  | { readonly kind: "failed"; readonly error: KubeError; readonly attemptCount: number; readonly retryInMs: number }
  /** One object could not be read (KU15). The others are not affected. */
  | { readonly kind: "skipped"; readonly error: KubeError }
  /** A scan in poll mode took longer than its interval (N-60). */
  | { readonly kind: "overrun"; readonly tookMs: number; readonly intervalMs: number };

/** Receives the events of a reflector one at a time: the next follows when this has resolved (KU15). */
export type ReflectorSink = (event: ReflectorEvent) => void | Promise<void>;
