// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { test } from "vitest";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { ApiError } from "../status/api-error.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { recordedSamples } from "./testing/recorded-samples.ts";
import { body } from "./testing/wire-writer.ts";

const table = loadSchemaTable();
const expected = { group: "", version: "v1", kind: "Pod" };
const originals = recordedSamples.map(({ protobuf }) => Uint8Array.fromBase64(protobuf));
const kinds = table.resources.map(
  ({ group, version, kind }) => [group === "" ? version : `${group}/${version}`, kind] as const,
);

/** Either JSON that can be printed, or a refusal that a client can read. */
function isAnswered(bytes: Uint8Array): boolean {
  try {
    const { object } = decodeProtobuf(table, bytes, expected);
    return Object.keys(object)[0] === "kind";
  } catch (reason) {
    return reason instanceof ApiError && reason.code === 400;
  }
}

test("a body with changed, cut or doubled bytes is read or refused", () => {
  const edit = fc.record({ at: fc.nat(), byte: fc.nat(255) });
  const cut = fc.option(fc.nat(), { nil: undefined });
  fc.assert(
    fc.property(fc.constantFrom(...originals), fc.array(edit, { maxLength: 8 }), cut, (original, edits, cutAt) => {
      const bytes = original.slice();
      for (const { at, byte } of edits) bytes[4 + (at % (bytes.length - 4))] = byte;
      return isAnswered(cutAt === undefined ? bytes : bytes.subarray(0, cutAt % bytes.length));
    }),
    { numRuns: 1_000 },
  );
});

test("chance bytes as a message of every kind are read or refused", () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.uint8Array({ maxLength: 60 }), ([apiVersion, kind], bytes) =>
      isAnswered(body(apiVersion, kind, [...bytes])),
    ),
    { numRuns: 1_000 },
  );
});
