// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KubeError } from "../kube-error.ts";
import { parseWatchEvent } from "./watch-event.ts";

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const object = { metadata: { name: "a", resourceVersion: "7" } };

test.each([
  ["ADDED", "object"],
  ["MODIFIED", "object"],
  ["DELETED", "deleted"],
  ["BOOKMARK", "bookmark"],
])("an event %s is read as %s, with its resourceVersion", (type, kind) => {
  expect(parseWatchEvent(encode({ type, object }), "a watch")).toMatchObject({ kind, resourceVersion: "7" });
});

test.each([
  [410, "expired"],
  [403, "forbidden"],
  [500, "serverError"],
  [504, "serverError"],
  [429, "overloaded"],
  [422, "refused"],
  ["410", "malformed"],
])("[KU12] an ERROR event of %j is the failure %s", (code, fault) => {
  const status = { kind: "Status", code, message: "because", details: { retryAfterSeconds: 2 } };
  const thrown = (): unknown => parseWatchEvent(encode({ type: "ERROR", object: status }), "a watch");
  expect(thrown).toThrow(
    expect.objectContaining({ fault, retryAfterMs: 2_000, message: expect.stringContaining("because") as string }),
  );
});

test("whatever a line holds, it is an event or `malformed`, never another failure", () => {
  const values = fc.oneof(
    fc.jsonValue(),
    fc.record({ type: fc.constantFrom("ADDED", "DELETED", "BOOKMARK", "ERROR", "?"), object: fc.jsonValue() }),
    fc.record({ type: fc.constantFrom("ADDED", "BOOKMARK"), object: fc.record({ metadata: fc.jsonValue() }) }),
  );
  fc.assert(
    fc.property(fc.oneof(values.map(encode), fc.uint8Array()), (line) => {
      try {
        expect(parseWatchEvent(line, "a watch")).toHaveProperty("resourceVersion");
      } catch (reason) {
        expect(reason).toBeInstanceOf(KubeError);
        expect(reason).toHaveProperty("fault");
      }
    }),
  );
});
