// SPDX-License-Identifier: Apache-2.0
// Rows for the tests of the agent's end: small, of any content, sealed as an agent seals them.
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { createHasher } from "../../../model/rows/hasher.ts";
import { type ColumnSpec, type Row, type RowContent, toResourceVersion } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import type { BytePacker } from "../byte-arena.ts";
import type { KindSpec } from "../kind-rows.ts";
import { RowTable } from "../row-table.ts";
import { invertingPacker } from "./inverting-packer.ts";

/** One for all tests of a file: it holds no state. */
export const hasher = await createHasher();

const clusterId = parseClusterId("c1");

const columns: readonly ColumnSpec[] = [
  { name: "note", type: "string" },
  { name: "number", type: "float" },
];

/** An empty table of the cluster of these rows. */
export function sampleTable(packer: BytePacker = invertingPacker): RowTable {
  return new RowTable({ clusterId, hasher, packer });
}

/** A kind with a text and a number in its rows. */
export function sampleKind(resource: string): KindSpec {
  return { resource: parseResourceId(resource), kind: "Sample", columns };
}

/** What a test says of a row; all else is the same in every row. */
export interface Sample {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly note?: string;
  readonly number?: number;
}

const sealers = new Map<string, RowSealer>();

/** A sealed row. */
export function sampleRow(sample: Sample): Row {
  const { resource = "pods", namespace = "default", name, uid = `uid-of-${name}`, note = "", number = 0 } = sample;
  const content: RowContent = {
    namespace,
    name,
    uid,
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 1_700_000_000_000,
    status: "healthy",
    reason: "",
    message: "",
    labels: new Map([["app", name]]),
    annotations: new Map(),
    columns: new Map<string, string | number>([
      ["note", note],
      ["number", number],
    ]),
  };
  const sealer = sealers.get(resource) ?? new RowSealer(clusterId, parseResourceId(resource), hasher);
  sealers.set(resource, sealer);
  return sealer.seal(content);
}
