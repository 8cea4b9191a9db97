// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { drawTypedObject } from "../../../test/support/api-fuzz-typed.ts";
import { createSeededRandom } from "../../base/random.ts";
import { type Draft, isList, isObject, type Json, type JsonObject } from "../json/json.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { cleanTyped } from "../schema-decode/clean-typed.ts";
import { ApiError } from "../status/api-error.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import { ProtobufEncoder } from "./encode-protobuf.ts";

const table = loadSchemaTable();
const encoder = new ProtobufEncoder(table);

/** Objects of each kind: two in three get past decoding, and each differs in a third of its fields. */
const drawCount = 12;

/** Protobuf does not tell an empty list from none; JSON text does not tell -0 from 0. */
function withoutEmpty(value: Json): Draft | undefined {
  if (isList(value)) return value.length === 0 ? undefined : value.map((item) => withoutEmpty(item) ?? null);
  if (!isObject(value)) return value === null ? undefined : value === 0 ? 0 : value;
  const kept = Object.entries(value).flatMap(([key, part]): [string, Draft][] => {
    const rest = withoutEmpty(part);
    return rest === undefined ? [] : [[key, rest]];
  });
  return Object.fromEntries(kept);
}

test.each(table.resources.map((facts) => [`${facts.group}/${facts.version} ${facts.kind}`, facts] as const))(
  "[AP30] %s: decoding what was encoded gives the object",
  (label, facts) => {
    const random = createSeededRandom(`protobuf ${label}`);
    const schema = table.ofKind(facts.group, facts.version, facts.kind);
    if (schema === undefined) throw new Error("every resource has a type");
    let comparedCount = 0;
    for (let count = 0; count < drawCount; count += 1) {
      const drawn = drawTypedObject(random, table, facts, `o${count}`);
      let object: JsonObject;
      try {
        object = cleanTyped(table, schema, drawn, {
          version: facts.version,
          kind: facts.kind,
          parsed: undefined,
        }).object;
      } catch (reason) {
        if (reason instanceof ApiError) continue;
        throw reason;
      }
      const bytes = encoder.encodeObject(object);
      const decoded = decodeProtobuf(table, bytes, facts).object;
      expect(withoutEmpty(decoded)).toEqual(withoutEmpty(object));
      expect(Buffer.from(encoder.encodeObject(decoded)).equals(bytes)).toBe(true);
      comparedCount += 1;
    }
    expect(comparedCount).toBeGreaterThan(0);
  },
);
