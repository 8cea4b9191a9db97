// SPDX-License-Identifier: Apache-2.0
import type { Metrics } from "../metrics.ts";

/** Metrics that discard everything. */
export const silentMetrics: Metrics = {
  counter: () => ({ add: () => undefined }),
  gauge: () => ({ set: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
};
