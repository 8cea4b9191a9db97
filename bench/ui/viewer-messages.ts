// SPDX-License-Identifier: Apache-2.0
// What passes between the bench and the process that plays viewers.

/** Whom it plays. */
export interface ViewerPlan {
  readonly url: string;
  readonly ca: string;
  readonly tokens: readonly string[];
  readonly viewerCount: number;
  /** `stream`: the page's own way. `poll`: the whole list as JSON every 5 s, as other consoles ask. */
  readonly way: "stream" | "poll";
}

/** To the process. */
export interface ViewerOrder {
  readonly kind: "count";
}

/** From the process. */
export type ViewerNews =
  /** Every viewer has what there is. */
  | { readonly kind: "ready" }
  /** What all viewers got until now, without what transport and encryption add. */
  | { readonly kind: "counts"; readonly messageCount: number; readonly bytes: number };

/** How often a viewer that polls asks. */
export const pollMs = 5_000;
