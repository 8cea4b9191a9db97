// SPDX-License-Identifier: Apache-2.0

/** The result for one hop. `warn`: works, but with a problem. */
export interface Finding {
  readonly hop: string;
  /** "" for hops before the clusters. */
  readonly cluster: string;
  /** The affected kind; "" if none. */
  readonly resource: string;
  readonly verdict: "ok" | "warn" | "bad";
  /** The class of the problem; findings with the same cause are one problem. "" if there is none. */
  readonly cause: string;
  readonly says: string;
  /** What to do; "" if nothing. */
  readonly advice: string;
}
