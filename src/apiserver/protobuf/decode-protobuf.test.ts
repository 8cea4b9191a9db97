// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { stringifyJson } from "../json/stringify-json.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { ApiError } from "../status/api-error.ts";
import { decodeProtobuf, type ExpectedKind, isProtobufBody } from "./decode-protobuf.ts";
import { recordedSamples } from "./testing/recorded-samples.ts";
import { body, int, part } from "./testing/wire-writer.ts";

const table = loadSchemaTable();
const configMap: ExpectedKind = { group: "", version: "v1", kind: "ConfigMap" };

function decode(bytes: Uint8Array, expected: ExpectedKind = configMap): unknown {
  return decodeProtobuf(table, bytes, expected).object;
}

function refusal(bytes: Uint8Array): string {
  try {
    decode(bytes);
  } catch (reason) {
    if (reason instanceof ApiError && reason.code === 400 && reason.reason === "BadRequest") return reason.message;
    throw reason;
  }
  return "no refusal";
}

describe("bodies of a real server", () => {
  test.each(recordedSamples)("$json.kind decodes to the JSON of the same object", ({ protobuf, json }) => {
    const decoded = decodeProtobuf(table, Uint8Array.fromBase64(protobuf), configMap);
    expect(stringifyJson(decoded.object)).toBe(stringifyJson(json));
    expect([decoded.apiVersion, decoded.kind]).toEqual([json["apiVersion"], json["kind"]]);
  });
});

describe("the envelope", () => {
  test("is known by its first four bytes", () => {
    expect(isProtobufBody(body("v1", "ConfigMap"))).toBe(true);
    expect(isProtobufBody(new TextEncoder().encode('{"kind":"ConfigMap"}'))).toBe(false);
    expect(isProtobufBody(Uint8Array.of(0x6b, 0x38, 0x73))).toBe(false);
  });

  test("may leave kind and version to the path", () => {
    expect(decode(body("", "", part(1, part(1, "c"))))).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "c" },
    });
  });

  test("of DeleteOptions is the same kind in every group", () => {
    const bytes = body("apps/v1", "DeleteOptions", int(1, 0), part(4, "Background"));
    expect(decode(bytes, { group: "apps", version: "v1", kind: "DeleteOptions" })).toEqual({
      kind: "DeleteOptions",
      apiVersion: "apps/v1",
      gracePeriodSeconds: 0,
      propagationPolicy: "Background",
    });
  });

  const bytes = (...each: readonly number[]): Uint8Array => Uint8Array.from([0x6b, 0x38, 0x73, 0, ...each]);
  const unrecognized = "the object provided is unrecognized (must be of type ConfigMap)";
  const asConfigMap = 'ConfigMap in version "v1" cannot be handled as a ConfigMap';
  test.each<[string, Uint8Array, string]>([
    ["nothing", new Uint8Array(), `${unrecognized}: empty data (<empty>)`],
    [
      "another format",
      new TextEncoder().encode("abc"),
      `${unrecognized}: provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (616263)`,
    ],
    ["a prefix alone", bytes(), `${unrecognized}: empty body (6b387300)`],
    ["a cut tag", bytes(0xff), `${unrecognized}: unexpected EOF (6b387300ff)`],
    ["a cut part", bytes(0x0a, 0x7f), `${unrecognized}: unexpected EOF (6b3873000a7f)`],
    [
      "an unknown kind",
      body("v1", "Foo"),
      'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    ["a cut message", body("v1", "ConfigMap", [0x0a, 0x7f]), `${asConfigMap}: unexpected EOF`],
    [
      "a wrong type",
      body("v1", "ConfigMap", [0x08, 0x01]),
      `${asConfigMap}: proto: wrong wireType = 0 for field ObjectMeta`,
    ],
    [
      "a stray end",
      body("v1", "ConfigMap", [0x04, 0x01]),
      `${asConfigMap}: proto: ConfigMap: wiretype end group for non-group`,
    ],
    [
      "a long number",
      body("v1", "ConfigMap", [...Array.from({ length: 10 }, () => 0xff), 1]),
      `${asConfigMap}: proto: integer overflow`,
    ],
  ])("refuses %s in the words of the real server", (_name, given, words) => {
    expect(refusal(given)).toBe(words);
  });
});

describe("values", () => {
  const event: ExpectedKind = { group: "", version: "v1", kind: "Event" };

  test("that Go holds by value are printed when they were not sent, unless they are omitted when empty", () => {
    expect(decode(body("v1", "Event"), event)).toEqual({
      kind: "Event",
      apiVersion: "v1",
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    });
    expect(decode(body("rbac.authorization.k8s.io/v1", "Role"))).toMatchObject({ rules: null });
  });

  test("that Go holds by pointer are printed when they were sent, empty or not", () => {
    const deployment = (...spec: readonly (readonly number[])[]): unknown =>
      decode(body("apps/v1", "Deployment", part(2, ...spec)));
    expect(deployment(int(1, 0), part(4))).toMatchObject({ spec: { replicas: 0, strategy: {} } });
    expect(deployment()).not.toHaveProperty("spec.replicas");
  });

  test("of every width keep their digits", () => {
    const revision = (value: bigint): unknown => decode(body("apps/v1", "ControllerRevision", int(3, value)));
    expect(revision(9_223_372_036_854_775_807n)).toMatchObject({ revision: 9_223_372_036_854_775_807n });
    expect(revision(-1n)).toMatchObject({ revision: -1 });
    expect(revision(2n ** 40n)).toMatchObject({ revision: 2 ** 40 });
    const raw = decode(
      body("apps/v1", "ControllerRevision", part(2, part(1, '{"n":9007199254740993,"t":"1234567890123456"}'))),
    );
    expect(raw).toMatchObject({ data: { n: 9_007_199_254_740_993n, t: "1234567890123456" } });
  });

  test("of raw JSON under keys that differ in a quote and a backslash at their end stay apart, whichever was read before", () => {
    const keys = (text: string): readonly string[] => {
      const decoded = decode(body("apps/v1", "ControllerRevision", part(2, part(1, text))));
      return Object.keys((decoded as { readonly data: object }).data);
    };
    expect(keys('{"before":0,"\\\\":1}')).toEqual(["before", "\\"]);
    expect(keys('{"before":0,"\\"":1}')).toEqual(["before", '"']);
  });

  test("of packed and loose lists are the same list", () => {
    const spec = (...context: readonly (readonly number[])[]): unknown =>
      decode(body("v1", "Pod", part(2, part(14, ...context))));
    const groups = { spec: { securityContext: { supplementalGroups: [1, 300] } } };
    expect(spec(int(4, 1), int(4, 300))).toMatchObject(groups);
    expect(spec(part(4, [1, 0xac, 2]))).toMatchObject(groups);
  });

  test("of embedded structs stand beside the others", () => {
    const volume = part(1, part(1, "v"), part(2, part(19, part(1, part(1, "settings")))));
    expect(decode(body("v1", "Pod", part(2, volume)))).toMatchObject({
      spec: { volumes: [{ name: "v", configMap: { name: "settings" } }] },
    });
  });

  test("of a message in pieces are one message", () => {
    const pieces = [part(1, part(1, "a")), part(1, part(3, "default"))];
    expect(decode(body("v1", "ConfigMap", ...pieces))).toMatchObject({ metadata: { name: "a", namespace: "default" } });
  });

  test("under prototype keys are plain entries", () => {
    const decoded = decode(
      body("v1", "ConfigMap", part(2, part(1, "__proto__"), part(2, "x")), part(2, part(1, "constructor"))),
    );
    expect(JSON.stringify(decoded)).toContain('"data":{"__proto__":"x","constructor":""}');
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
  });

  test("of user extras are lists, or null when empty", () => {
    const review: ExpectedKind = { group: "authentication.k8s.io", version: "v1", kind: "SelfSubjectReview" };
    const extras = [part(4, part(1, "a"), part(2, part(1, "x"), part(1, "y"))), part(4, part(1, "b"), part(2))];
    expect(
      decode(body("authentication.k8s.io/v1", "SelfSubjectReview", part(2, part(1, ...extras))), review),
    ).toMatchObject({
      status: { userInfo: { extra: { a: ["x", "y"], b: null } } },
    });
  });

  test.each<[string, readonly number[], unknown]>([
    ["no bytes", [], null],
    ["1970", [...int(1, 0), ...int(2, 0)], "1970-01-01T00:00:00Z"],
    ["Go's zero time", int(1, -62_135_596_800), null],
    ["a fraction, which is cut", [...int(1, 1_600_000_000), ...int(2, 999_999_999)], "2020-09-13T12:26:40Z"],
  ])("of time: %s", (_name, time, expected) => {
    expect(decode(body("v1", "Event", part(6, time)), event)).toMatchObject({ firstTimestamp: expected });
  });

  test.each<[string, readonly number[], string]>([
    ["a time that no calendar holds", part(6, int(1, 2n ** 62n)), "year outside of range"],
    ["raw JSON that is none", part(1, part(17, part(7, part(1, "{")))), "a raw value is not valid JSON"],
    ["raw JSON that is too deep", part(1, part(17, part(7, part(1, "[".repeat(501))))), "exceeded max depth"],
    [
      "raw JSON with a number that no double holds",
      part(1, part(17, part(7, part(1, "1e400")))),
      "a raw value is not valid JSON",
    ],
  ])("refuse %s", (_name, field, words) => {
    expect(refusal(body("v1", "Event", field))).toContain(words);
  });
});

describe("hostile bodies", () => {
  /** `not` in `not` in `not`. */
  function nestedSchemas(depth: number): Uint8Array {
    let schema: readonly number[] = [];
    for (let level = 0; level < depth; level += 1) schema = part(28, schema);
    const version = part(7, part(1, "v1"), part(4, part(1, schema)));
    return body("apiextensions.k8s.io/v1", "CustomResourceDefinition", part(2, version));
  }

  test("nested too deep are refused, the others are read", () => {
    expect(refusal(nestedSchemas(600))).toContain("exceeded max depth");
    expect(refusal(nestedSchemas(400))).toBe("no refusal");
  });

  test("of a million empty items are refused before they grow", () => {
    const items = new Uint8Array(2 * 150_000).map((_, at) => (at % 2 === 0 ? 0x12 : 0));
    const head = body("v1", "EventList");
    const length = items.length;
    const size = [(length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14];
    const bytes = Uint8Array.from([...head.subarray(0, -2), 0x12, ...size, ...items]);
    expect(refusal(bytes)).toContain("the message holds too many values");
  });

  test("with an unknown field inside an embedded message pass over it", () => {
    let rule: readonly number[] = part(2, []);
    for (let level = 0; level < 50; level += 1) rule = part(2, rule);
    expect(decode(body("networking.k8s.io/v1", "Ingress", part(2, part(3, rule))))).toMatchObject({
      spec: { rules: [{}] },
    });
  });
});
