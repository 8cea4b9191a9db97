// SPDX-License-Identifier: Apache-2.0
// The peer on the wire: all rows of a cluster as JSON, again and again, the way Navigator sends them.
import { once } from "node:events";
import { createGzip } from "node:zlib";
import { podKind } from "../../src/kinds/pod-kind.ts";
import { projectRow } from "../../src/kinds/project-row.ts";
import { createPod } from "./pods.ts";

/** Bytes of one full state. */
export interface FullState {
  readonly jsonBytes: number;
  readonly gzipBytes: number;
}

/** Navigator sends its state every 30 s. */
export const statesPerMinute = 2;

/** The state of a cluster with that many Pods: the same fields as our rows have, each object by itself. */
export async function measureFullState(podCount: number): Promise<FullState> {
  const gzip = createGzip();
  let [jsonBytes, gzipBytes] = [0, 0];
  gzip.on("data", (chunk: Buffer) => {
    gzipBytes += chunk.length;
  });
  const observation = { facts: { meshRootNamespaces: new Set<string>() }, terminatingForMs: 0 };
  for (let serial = 0; serial < podCount; serial += 1) {
    const row = projectRow(podKind, createPod(serial), observation);
    const { labels, annotations, columns, ...fields } = row;
    const maps = { labels: Object.fromEntries(labels), annotations: Object.fromEntries(annotations) };
    const text = `${JSON.stringify({ ...fields, ...maps, columns: Object.fromEntries(columns) })}\n`;
    jsonBytes += Buffer.byteLength(text);
    if (!gzip.write(text)) await once(gzip, "drain");
  }
  gzip.end();
  await once(gzip, "end");
  return { jsonBytes, gzipBytes };
}
