// SPDX-License-Identifier: Apache-2.0

/** One hop that was looked at. `warn` works, but not as it should. */
export interface Finding {
  readonly hop: string;
  /** "" for hops before the clusters. */
  readonly cluster: string;
  /** The kind that it is about; "" for none. */
  readonly resource: string;
  readonly verdict: "ok" | "warn" | "bad";
  /** The class of the problem: findings of the same cause are one problem. "" where there is none. */
  readonly cause: string;
  readonly says: string;
  /** What to do; "" where there is nothing to do. */
  readonly advice: string;
}
