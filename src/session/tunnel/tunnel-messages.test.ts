// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { errorCodes } from "../../base/error-codes.ts";
import { TunnelRequestSchema, TunnelResponseSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import { utf8ByteCount } from "../../model/text.ts";
import {
  encodeBody,
  encodeObjectRead,
  encodeOpening,
  encodeRefusal,
  parseTunnelDown,
  parseTunnelUp,
} from "./tunnel-messages.ts";

const text = fc.string({ unit: "grapheme", maxLength: 40 });
const read = fc.record({
  user: text,
  groups: fc.array(text, { maxLength: 5 }),
  resource: text,
  namespace: text,
  name: text,
});
/** Bytes as a stranger sends them: noise, and messages of ours with a byte or two gone wrong. */
const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  fc.tuple(read, fc.nat(), fc.nat({ max: 255 })).map(([asked, at, byte]) => broken(encodeObjectRead(asked), at, byte)),
  fc
    .tuple(fc.uint8Array(), fc.nat(), fc.nat({ max: 255 }))
    .map(([body, at, byte]) => broken(encodeBody(body, true), at, byte)),
);

function broken(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const copy = bytes.slice();
  if (copy.length > 0) copy[at % copy.length] = byte;
  return copy;
}

function refusalOf(code: string, message: string): FlotillaError | undefined {
  const init = { message: { case: "refusal", value: { code, message } } } as const;
  const parsed = parseTunnelUp(toBinary(TunnelRequestSchema, create(TunnelRequestSchema, init)));
  return parsed.kind === "refusal" ? parsed.error : undefined;
}

describe("what one end says the other hears", () => {
  test("[TU1] an opening", () => {
    fc.assert(
      fc.property(text, fc.uint8Array({ maxLength: 40 }), (tunnelId, ticket) => {
        expect(parseTunnelUp(encodeOpening(tunnelId, ticket))).toEqual({ kind: "opening", tunnelId, ticket });
      }),
    );
  });

  test("[TU9] a part of the body", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.boolean(), (bytes, isLast) => {
        expect(parseTunnelUp(encodeBody(bytes, isLast))).toEqual({ kind: "body", bytes, isLast });
      }),
    );
  });

  test("[TU6] a question, part by part, whatever is in them", () => {
    fc.assert(
      fc.property(read, (asked) => {
        expect(parseTunnelDown(encodeObjectRead(asked))).toEqual(asked);
      }),
    );
  });

  test("a refusal, with code and sentence, and never its cause", () => {
    const codes = Object.keys(errorCodes).filter((code) => code !== "UNAUTHENTICATED") as (keyof typeof errorCodes)[];
    for (const code of codes) {
      const bytes = encodeRefusal(new FlotillaError(code, "no pods for you", { cause: new Error("s3cret") }));
      expect(Buffer.from(bytes).includes("s3cret")).toBe(false);
      const parsed = parseTunnelUp(bytes);
      expect(parsed.kind === "refusal" && [parsed.error.code, parsed.error.message]).toEqual([code, "no pods for you"]);
    }
  });
});

test("any bytes are MALFORMED or a message, at either end", () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      for (const parse of [parseTunnelUp, parseTunnelDown]) {
        try {
          expect(parse(bytes)).toBeTypeOf("object");
        } catch (reason) {
          expect(reason).toBeInstanceOf(FlotillaError);
          expect(["MALFORMED", "UNIMPLEMENTED"]).toContain((reason as FlotillaError).code);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("a question of a newer hub is told to be one", () => {
  expect(() => parseTunnelDown(new Uint8Array([0xfa, 0x01, 0x00]))).toThrow(
    expect.objectContaining({ code: "UNIMPLEMENTED" }),
  );
});

test("a message of a newer agent cannot be read", () => {
  expect(() => parseTunnelUp(new Uint8Array([0xfa, 0x01, 0x00]))).toThrow(
    expect.objectContaining({ code: "MALFORMED" }),
  );
});

test.each(["NEWER_CODE", "", "__proto__", "constructor", "toString", "UNAUTHENTICATED"])(
  "code %j, which the hub does not have or an agent has no say in, is told as UNAVAILABLE",
  (code) => {
    expect(refusalOf(code, "it failed")).toMatchObject({ code: "UNAVAILABLE", message: "it failed" });
  },
);

test("a sentence is cut at both ends, at a whole letter", () => {
  const long = "é".repeat(5_000);
  const sent = encodeRefusal(new FlotillaError("NOT_FOUND", long));
  expect(sent.length).toBeLessThan(2_100);
  const heard = refusalOf("NOT_FOUND", long)?.message ?? "";
  expect(utf8ByteCount(heard)).toBeLessThanOrEqual(2_048);
  expect(heard).toMatch(/^é+…$/u);
});

test("a question names 1,024 groups at the most", () => {
  const asked = { user: "ann", resource: "pods", namespace: "shop", name: "a" };
  const groupsOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `g${at}`);
  expect(parseTunnelDown(encodeObjectRead({ ...asked, groups: groupsOf(1_024) })).groups).toHaveLength(1_024);
  expect(() => parseTunnelDown(encodeObjectRead({ ...asked, groups: groupsOf(1_025) }))).toThrow(
    "a message of a tunnel cannot be read: it names 1025 groups, 1024 are the most",
  );
});

test("[TU6] a question has no other part than these", () => {
  const names = TunnelResponseSchema.fields.flatMap(({ message }) => message?.fields ?? []).map(({ name }) => name);
  expect(names).toEqual(["user", "groups", "resource", "namespace", "name"]);
});
