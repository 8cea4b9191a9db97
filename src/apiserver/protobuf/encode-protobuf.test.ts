// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { ProtobufEncoder } from "./encode-protobuf.ts";
import { recordedSamples } from "./testing/recorded-samples.ts";

const encoder = new ProtobufEncoder(loadSchemaTable());

describe("[AP30] bytes are those of the real server", () => {
  test.each(recordedSamples)("$json.kind", ({ protobuf, json }) => {
    expect(Buffer.from(encoder.encodeObject(json)).toString("base64")).toBe(protobuf);
  });
});
