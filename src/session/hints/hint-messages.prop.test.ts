// SPDX-License-Identifier: Apache-2.0
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { errorCodes } from "../../base/error-codes.ts";
import {
  ConnectRequestSchema,
  ConnectResponseSchema,
  HintAnswersSchema,
  ObjectHintSchema,
  HintResult as WireResult,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { utf8ByteCount } from "../../model/text.ts";
import { parseResponse } from "../agent/parse-response.ts";
import { parseRequest } from "../hub/parse-request.ts";
import { type HintResult, maxHintNameBytes, maxHintsOfAgent } from "./hint.ts";
import { parseHintAnswers, parseObjectHint, toHintAnswers, toObjectHint } from "./hint-messages.ts";

const number = fc.nat(0xffff_ffff);
const text = fc.string({ maxLength: 40 });
const results: readonly HintResult[] = ["refreshed", "unchanged", "notFound", "leftToWatch"];

describe("[SE65] [Q-33] hints and answers", () => {
  test("arrive as they were sent", () => {
    fc.assert(
      fc.property(fc.record({ number, resource: text, namespace: text, name: text }), (sent) => {
        const bytes = toBinary(ObjectHintSchema, create(ObjectHintSchema, toObjectHint(sent)));
        expect(parseObjectHint(fromBinary(ObjectHintSchema, bytes))).toEqual(sent);
      }),
    );
    const answer = fc.record({ number, result: fc.constantFrom(...results) });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: maxHintsOfAgent }), (sent) => {
        const bytes = toBinary(HintAnswersSchema, create(HintAnswersSchema, toHintAnswers(sent)));
        expect(parseHintAnswers(fromBinary(HintAnswersSchema, bytes))).toEqual(sent);
      }),
    );
  });

  test("a refusal keeps its code and sentence, without its cause", () => {
    const error = new FlotillaError("NOT_FOUND", "the agent does not collect it", { cause: new Error("hidden") });
    const wire = create(HintAnswersSchema, toHintAnswers([{ number: 3, result: error }]));
    expect(new TextDecoder().decode(toBinary(HintAnswersSchema, wire))).not.toContain("hidden");
    const [parsed] = parseHintAnswers(wire);
    expect(parsed).toMatchObject({
      number: 3,
      result: { code: "NOT_FOUND", message: "the agent does not collect it" },
    });
    expect(parsed?.result).not.toHaveProperty("cause", expect.anything());
  });
});

describe("[SE65] [SE4] hostile input", () => {
  test("names of any length are cut to one that no object has", () => {
    const long = "x".repeat(100_000);
    const hint = parseObjectHint(create(ObjectHintSchema, { resource: long, namespace: long, name: long }));
    for (const part of [hint.resource, hint.namespace, hint.name])
      expect(utf8ByteCount(part)).toBeLessThanOrEqual(maxHintNameBytes);
    expect(hint.name.length).toBeGreaterThan(253);
  });

  test("more answers than an agent can have are refused as a whole", () => {
    const answers = Array.from({ length: maxHintsOfAgent + 1 }, () => ({ result: WireResult.REFRESHED }));
    expect(() => parseHintAnswers(create(HintAnswersSchema, { answers }))).toThrow(
      expect.objectContaining({ code: "TOO_LARGE" }),
    );
  });

  test("[SE3] a result of a newer agent, or none, states nothing about the row", () => {
    const answers = [{ number: 1, result: 77 as never }, { number: 2 }];
    for (const { result } of parseHintAnswers(create(HintAnswersSchema, { answers })))
      expect(result).toMatchObject({ code: "UNIMPLEMENTED" });
  });

  test("a refusal with a result is a refusal; its code is of the table and its sentence is short", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(10_000), (code, length) => {
        const refusal = { code, message: "é".repeat(length) };
        const wire = create(HintAnswersSchema, { answers: [{ result: WireResult.REFRESHED, refusal }] });
        const [answer] = parseHintAnswers(wire);
        const result = answer?.result;
        if (!(result instanceof FlotillaError)) throw new Error("a refusal was not taken as one");
        expect(Object.hasOwn(errorCodes, result.code)).toBe(true);
        expect(result.code).not.toBe("UNAUTHENTICATED");
        expect(utf8ByteCount(result.message)).toBeLessThanOrEqual(2_048);
      }),
    );
  });

  test("any damage to the bytes gives a message within the limits or a refusal, at both ends", () => {
    const hint = { number: 7, resource: "apps/deployments", namespace: "shop", name: "cart" };
    const down = toBinary(
      ConnectResponseSchema,
      create(ConnectResponseSchema, { message: { case: "objectHint", value: toObjectHint(hint) } }),
    );
    const answers = [
      { number: 7, result: "refreshed" as const },
      { number: 8, result: new FlotillaError("OVERLOADED", "too many") },
    ];
    const up = toBinary(
      ConnectRequestSchema,
      create(ConnectRequestSchema, { message: { case: "hintAnswers", value: toHintAnswers(answers) } }),
    );
    const change = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(change, fc.nat(200), (changes, cutAt) => {
        for (const whole of [down, up]) {
          const bytes = whole.slice(0, cutAt % 2 === 0 ? whole.length : cutAt);
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          if (whole === down) {
            expect(namesOf(bytes).every((name) => utf8ByteCount(name) <= maxHintNameBytes)).toBe(true);
          } else {
            const parsed = parseRequest(bytes, 1_000_000);
            if (parsed.kind === "hintAnswers") expect(parsed.answers.length).toBeLessThanOrEqual(maxHintsOfAgent);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The names of a hint of the hub; none for another message or a refused one. Any other error is thrown. */
function namesOf(bytes: Uint8Array): readonly string[] {
  try {
    const parsed = parseResponse(bytes);
    if (parsed.kind !== "objectHint") return [];
    const { resource, namespace, name } = parsed.hint;
    return [resource, namespace, name];
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return [];
  }
}
