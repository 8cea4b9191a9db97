// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../base/error.ts";
import { type ErrorCode } from "../base/error-codes.ts";
import { ByteWriter } from "./byte-writer.ts";
import { canonicalEntries } from "./canonical-map.ts";
import type { ClusterId } from "./cluster-id.ts";
import { type ResourceId, resourceIdText } from "./gvr.ts";
import type { Hasher } from "./hasher.ts";
import { type ColumnValue, type Row, type RowContent, toRowHash } from "./row.ts";
import { faultOfRow } from "./row-check.ts";
import { statusRank } from "./status.ts";
import { quote } from "./text.ts";

/**
 * Version of the hashed bytes (CO41), itself hashed: another version makes every row differ, so all rows travel once.
 * 1: first.
 */
const hashVersion = 1;

/** Most bytes of one row (CO24): 1/64 of the default message limit, and some hundred times a usual row. */
export const maxRowBytes = 65_536;

function writeNumber(writer: ByteWriter, value: number): void {
  writer.f64(value === 0 ? 0 : value);
}

function writeTextMap(writer: ByteWriter, map: ReadonlyMap<string, string>): void {
  const entries = canonicalEntries(map);
  writer.varint(entries.length);
  for (const [key, value] of entries) {
    writer.text(key);
    writer.text(value);
  }
}

function writeValue(writer: ByteWriter, value: ColumnValue): void {
  if (typeof value === "string") {
    writer.u8(1);
    writer.text(value);
  } else if (typeof value === "number") {
    writer.u8(2);
    writeNumber(writer, value);
  } else if (typeof value === "boolean") {
    writer.u8(3);
    writer.u8(value ? 1 : 0);
  } else {
    writer.u8(4);
    writer.varint(value.length);
    for (const element of value) writer.text(element);
  }
}

function writeContent(writer: ByteWriter, row: RowContent): void {
  for (const text of [row.namespace, row.name, row.uid]) writer.text(text);
  writeNumber(writer, row.generation);
  writeNumber(writer, row.createdAt);
  writer.u8(row.deletedAt === undefined ? 0 : 1);
  if (row.deletedAt !== undefined) writeNumber(writer, row.deletedAt);
  writer.u8(statusRank(row.status));
  writer.text(row.reason);
  writer.text(row.message);
  writeTextMap(writer, row.labels);
  writeTextMap(writer, row.annotations);
  writer.u8(row.owner === undefined ? 0 : 1);
  if (row.owner !== undefined)
    for (const text of [row.owner.group, row.owner.kind, row.owner.name, row.owner.uid]) writer.text(text);
  const columns = canonicalEntries(row.columns);
  writer.varint(columns.length);
  for (const [name, value] of columns) {
    writer.text(name);
    writeValue(writer, value);
  }
}

/** Checks rows of one cluster and resource and gives them their hash. Only the agent does this; the hub takes hashes as they come (CO40). */
export class RowSealer {
  readonly #writer = new ByteWriter();
  readonly #hasher: Hasher;
  readonly #cluster: ClusterId;
  readonly #resource: ResourceId;

  constructor(cluster: ClusterId, resource: ResourceId, hasher: Hasher) {
    this.#cluster = cluster;
    this.#resource = resource;
    this.#hasher = hasher;
  }

  /** The row with its hash. Throws INVALID_ARGUMENT (CO63) or TOO_LARGE (CO24), naming the object; the sealer goes on to work. */
  seal(content: RowContent): Row {
    const fault = faultOfRow(content);
    if (fault !== undefined) throw this.#refusal("INVALID_ARGUMENT", content, fault);
    const writer = this.#writer;
    writer.reset();
    writer.u8(hashVersion);
    for (const text of [this.#cluster, this.#resource.group, this.#resource.resource]) writer.text(text);
    writeContent(writer, content);
    if (writer.length > maxRowBytes)
      throw this.#refusal("TOO_LARGE", content, `has ${writer.length} bytes, the most is ${maxRowBytes}`);
    return { ...content, rowHash: toRowHash(this.#hasher.hash64(writer.view())) };
  }

  #refusal(code: ErrorCode, content: RowContent, fault: string): FlotillaError {
    const resource = resourceIdText(this.#resource);
    return new FlotillaError(code, `the row of ${resource} ${quote(`${content.namespace}/${content.name}`)} ${fault}`, {
      ids: { cluster: this.#cluster, resource },
    });
  }
}
