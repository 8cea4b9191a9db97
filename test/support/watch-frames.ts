// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../src/apiserver/json/json.ts";
import { withAnswerTypes } from "../../src/apiserver/protobuf/answer-types.ts";
import { decodeProtobuf } from "../../src/apiserver/protobuf/decode-protobuf.ts";
import { WireReader } from "../../src/apiserver/protobuf/wire-reader.ts";
import { loadSchemaTable } from "../../src/apiserver/schema/load-schema-table.ts";
import type { SeenEvent } from "./api-storage.ts";

const table = withAnswerTypes(loadSchemaTable());
const lengthByteCount = 4;
const anyKind = { group: "", version: "v1", kind: "Status" };

/** The object in the body of an answer in protobuf, PartialObjectMetadata and discovery included. */
export function readAnswer(body: Uint8Array): JsonObject {
  return decodeProtobuf(table, body, anyKind).object;
}

/** The events of a watch in protobuf, as far as they are whole, and the bytes behind them. */
export function readFrames(bytes: Buffer): { readonly events: readonly SeenEvent[]; readonly rest: Buffer } {
  const events: SeenEvent[] = [];
  let at = 0;
  while (bytes.length - at >= lengthByteCount) {
    const end = at + lengthByteCount + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    events.push(readEvent(bytes.subarray(at + lengthByteCount, end)));
    at = end;
  }
  return { events, rest: bytes.subarray(at) };
}

/** WatchEvent: 1 type, 2 RawExtension, whose 1 is a whole body. */
function readEvent(frame: Uint8Array): SeenEvent {
  const reader = new WireReader(frame);
  let type = "";
  let body = new Uint8Array();
  while (!reader.isAtEnd) {
    const { number } = reader.readTag("WatchEvent");
    if (number === 1) type = reader.readText();
    else {
      const raw = reader.readPart();
      raw.readTag("RawExtension");
      body = Uint8Array.from(raw.readBytes());
    }
  }
  return { type, object: readAnswer(body) };
}
