// SPDX-License-Identifier: Apache-2.0
// What the writer of the fleet log's crash test appends; a flush follows from its cluster and seq.
import { createSeededRandom } from "../../src/base/random.ts";
import type { Flush } from "../../src/store/fleet-log/fleet-log.ts";
import { delta, flush } from "./store-fleet-log.ts";

export const crashedClusters = ["c1", "c2", "c3", "c4"];

/** One segment of pods and one of nodes, with a text that says which flush they are of. */
export function planFlush(cluster: string, seq: number): Flush {
  const padding = "x".repeat(createSeededRandom(`${cluster} ${seq}`).int(2000));
  return flush(seq, [delta(`${seq} ${padding}`), delta(`${seq}`, "nodes")], { cluster });
}
