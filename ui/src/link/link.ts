// SPDX-License-Identifier: Apache-2.0
// The interface between views and transport. One Link per tab, over one stream per browser (PG8).
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SubscriptionSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { HubClock } from "../time/hub-clock.ts";

/** A view to subscribe to, in wire form. */
export type ViewRequest = NonNullable<MessageInitShape<typeof SubscriptionSchema>["view"]>;

/** One update of a view. */
export interface LinkUpdate {
  /** The encoded update message of the view. */
  readonly bytes: Uint8Array;
  /** True: replaces the whole view in one step. */
  readonly isSnapshot: boolean;
}

/** Why a view is not or no longer shown. */
export interface ViewRefusal {
  readonly code: string;
  readonly message: string;
}

/** Receives the updates of one view, in order; never called after the subscription was closed. */
export interface ViewSink {
  update(update: LinkUpdate): void;
  refused(refusal: ViewRefusal): void;
}

/**
 * The connection between this browser and the hub. `opening`: the first attempt is running; `open`: messages arrive;
 * `lost`: closed or not opened, and retried; `loginNeeded`: the hub refused the credential, and only a login helps.
 */
export type HubHop =
  | { readonly kind: "opening" }
  | {
      readonly kind: "open";
      readonly sinceMs: number;
      /** Version of the page that the hub serves (PG26); "": unknown. */
      readonly pageVersion: string;
    }
  | {
      readonly kind: "lost";
      /** On the local monotonic clock. */
      readonly sinceMs: number;
      readonly sentence: string;
      readonly attemptCount: number;
      /** Undefined while an attempt is running. */
      readonly nextAttemptMs: number | undefined;
    }
  | { readonly kind: "loginNeeded"; readonly sentence: string };

/** This tab's connection to the hub. Reconnects and resumes by itself (PG9, PG14). */
export interface Link {
  readonly clock: HubClock;
  getHop(): HubHop;
  /** Calls the listener after each change, until the returned function is called. */
  listenHop(listener: () => void): () => void;
  /** Subscribes until the returned function is called. */
  subscribe(request: ViewRequest, sink: ViewSink): () => void;
  /** Starts the next attempt now, also replacing a hanging one; at most once a second. */
  retryNow(): void;
}
