// SPDX-License-Identifier: Apache-2.0
// The seam between what is shown and how it comes here. One Link per tab; behind it one stream per browser (PG8).
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SubscriptionSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { HubClock } from "../time/hub-clock.ts";

/** A view that can be subscribed to, as it is asked for on the wire. */
export type ViewWish = NonNullable<MessageInitShape<typeof SubscriptionSchema>["view"]>;

/** What one message brings to a view. */
export interface ViewUpdate {
  /** The encoded update message of the view. */
  readonly bytes: Uint8Array;
  /** True: what was shown before is replaced in one step. */
  readonly isSnapshot: boolean;
}

/** Why a view is not shown, or no longer. */
export interface ViewRefusal {
  readonly code: string;
  readonly message: string;
}

/** Where the updates of one view go. Called in order; never after the subscription was closed. */
export interface ViewSink {
  update(update: ViewUpdate): void;
  refused(refusal: ViewRefusal): void;
}

/**
 * The hop between this browser and the hub. `opening`: the first attempt is under way; `open`: messages come; `lost`: it was open
 * or could not be opened, and attempts go on; `loginNeeded`: the hub does not know us, and only a login helps.
 */
export type HubHop =
  | { readonly kind: "opening" }
  | {
      readonly kind: "open";
      readonly sinceMs: number;
      /** The page that the hub at the other end serves (PG26); "" = it does not say. */
      readonly pageVersion: string;
    }
  | {
      readonly kind: "lost";
      /** By the local monotonic clock. */
      readonly sinceMs: number;
      readonly sentence: string;
      readonly attemptCount: number;
      /** Undefined while an attempt is under way. */
      readonly nextAttemptMs: number | undefined;
    }
  | { readonly kind: "loginNeeded"; readonly sentence: string };

/** This tab's connection to the hub. Everything resumes by itself (PG9, PG14). */
export interface Link {
  readonly clock: HubClock;
  getHop(): HubHop;
  /** Calls back after each change of the hop; returns how to stop. */
  listenHop(listener: () => void): () => void;
  /** Subscribes until the returned function is called. */
  subscribe(wish: ViewWish, sink: ViewSink): () => void;
  /** Ends the wait before the next attempt, or an attempt that hangs; at most once a second. */
  retryNow(): void;
}
