// SPDX-License-Identifier: Apache-2.0
// Entry of a process that makes the rows of a part of the clusters: as segments, sent to the parent, and as a file of
// lines for the databases. Arguments: the number of rows of the fleet, the part, the number of parts, the file.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { resourceIdText } from "../../src/model/gvr.ts";
import { encodeRowBatch } from "../../src/model/row-batch/encode.ts";
import { createHasher } from "../../src/model/rows/hasher.ts";
import { zstdCodec as codec } from "../../src/rpc/client/zstd-codec.ts";
import type { FlushPart } from "../../src/store/fleet-log/fleet-log.ts";
import { createClusterRows } from "./cluster-rows.ts";
import { createFleetShape } from "./fleet-shape.ts";
import { toSqlLines } from "./sql-rows.ts";

/** The rows of one cluster, as a flush that an agent would send. */
export interface GeneratedCluster {
  readonly cluster: string;
  readonly rowCount: number;
  readonly parts: readonly FlushPart[];
}

const [rowCount = "0", part = "0", partCount = "1", file = ""] = process.argv.slice(2);
const shape = createFleetShape(Number(rowCount));
const hasher = await createHasher();
const lines = createWriteStream(file);

async function generate(number: number): Promise<void> {
  const cluster = shape.clusters[number];
  if (cluster === undefined) return;
  const contents = createClusterRows(shape, cluster, hasher);
  const text = contents.map((content) => [...toSqlLines(cluster, content)].join("")).join("");
  if (!lines.write(text)) await once(lines, "drain");
  const parts = await Promise.all(
    contents.map(async (content) => ({
      resource: resourceIdText(content.resource),
      form: { kind: "delta" as const },
      bytes: await codec.compress(encodeRowBatch(content, hasher)),
    })),
  );
  const count = contents.reduce((sum, { rows }) => sum + rows.length, 0);
  const generated: GeneratedCluster = { cluster: cluster.name, rowCount: count, parts };
  await new Promise((resolve) => process.send?.(generated, resolve));
}

for (let number = Number(part); number < shape.clusters.length; number += Number(partCount)) await generate(number);
lines.end();
await once(lines, "finish");
process.disconnect?.();
