// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectRequestSchema, DigestLevel } from "../../gen/flotilla/session/v1/session_pb.ts";
import { parseRequest } from "./parse-request.ts";

const maxBytes = 1_000_000;

function parse(init: MessageInitShape<typeof ConnectRequestSchema>): ReturnType<typeof parseRequest> {
  return parseRequest(toBinary(ConnectRequestSchema, create(ConnectRequestSchema, init)), maxBytes);
}

const hello = { protocol: 1, clusterId: "east", agentId: "a", incarnation: "i", clusterUid: "u" };

describe("parse request", () => {
  test("a greeting comes with its metadata, and labels named as members of an object", () => {
    const labels = Object.fromEntries([
      ["toString", "y"],
      ["constructor", "x"],
    ]);
    const parsed = parse({ message: { case: "hello", value: { ...hello, metadata: { region: "eu", labels } } } });
    expect(parsed.kind === "hello" && parsed.hello.metadata.labels).toEqual(new Map(Object.entries(labels)));
  });

  test.each([
    ["says that it serves tunnels", { servesTunnels: true }, true],
    ["says nothing of them, as an older agent", {}, false],
  ])("[TU3] a greeting that %s", (_what, said, servesTunnels) => {
    const parsed = parse({ message: { case: "hello", value: { ...hello, ...said } } });
    expect(parsed.kind === "hello" && parsed.hello.servesTunnels).toBe(servesTunnels);
  });

  test.each([
    ["takes hints", { takesHints: true }, true],
    ["says nothing of them, as an older agent", {}, false],
  ])("[SE65] a greeting of an agent that %s", (_what, said, takesHints) => {
    const parsed = parse({ message: { case: "hello", value: { ...hello, ...said } } });
    expect(parsed.kind === "hello" && parsed.hello.takesHints).toBe(takesHints);
  });

  test.each([
    ["a cluster id", { clusterId: "a:b" }],
    ["an agent id", { agentId: "" }],
    ["a shard", { shard: "a\u0000" }],
    ["an incarnation", { incarnation: "x".repeat(200) }],
    ["a cluster uid", { clusterUid: "" }],
    ["a resource", { resources: ["Pods"] }],
    ["a region", { metadata: { region: "\u0007" } }],
  ])("[SE4] a greeting with %s of a wrong form is refused", (_what, wrong) => {
    expect(parse({ message: { case: "hello", value: { ...hello, ...wrong } } })).toMatchObject({
      kind: "refused",
      refusal: { reason: "malformed" },
    });
  });

  test.each([
    ["no number", 0n, { resource: "pods" }],
    ["a number beyond 2^53", 2n ** 60n, { resource: "pods" }],
    ["a resource under another name", 1n, { resource: "events.k8s.io/events" }],
    ["a bucket of another count", 1n, { resource: "pods", replacedBucket: 2_048 }],
    ["a bucket number in place of a code", 1n, { resource: "pods", replacedBucket: 7 }],
  ])("[SE4] a flush with %s is refused", (_what, seq, part) => {
    expect(parse({ seq, message: { case: "flush", value: { parts: [part] } } })).toMatchObject({ kind: "refused" });
  });

  test("[TU4] tunnels that failed come with code and sentence, which is cut", () => {
    const failure = { tunnelId: "tun_1", reason: { code: "OVERLOADED", message: "x".repeat(5_000) } };
    const parsed = parse({ message: { case: "tunnelFailures", value: { failures: [failure] } } });
    const [first] = parsed.kind === "tunnelFailures" ? parsed.failures : [];
    expect(first).toMatchObject({ tunnelId: "tun_1", error: { code: "OVERLOADED" } });
    expect(first?.error.message.length).toBeLessThanOrEqual(2_048);
  });

  test.each([
    ["no reason", [{ tunnelId: "tun_1" }], "malformed"],
    ["no id", [{ reason: { code: "UNAVAILABLE", message: "" } }], "malformed"],
    ["an id that is no name", [{ tunnelId: "a\nb", reason: {} }], "malformed"],
    ["more than an agent opens", Array.from({ length: 33 }, () => ({ tunnelId: "tun_1", reason: {} })), "overLimit"],
  ])("[SE4] [TU4] tunnels that failed with %s are refused", (_what, failures, reason) => {
    const parsed = parse({ message: { case: "tunnelFailures", value: { failures } } });
    expect(parsed).toMatchObject({ kind: "refused", refusal: { reason } });
  });

  test("[SE24] a flush names a bucket by its code", () => {
    const parts = [{ resource: "pods", replacedBucket: 1_024, batch: new Uint8Array(3) }];
    const parsed = parse({ seq: 9n, collectedMsAgo: 5, message: { case: "flush", value: { parts } } });
    expect(parsed).toMatchObject({
      kind: "flush",
      flush: { seq: 9, collectedMsAgo: 5, sizeBytes: 3, parts: [{ resourceText: "pods", replacedBucket: 1_024 }] },
    });
  });

  test("[SE4] over a limit is a reason of its own", () => {
    const statuses = Array.from({ length: 5_000 }, () => ({ resource: "pods" }));
    expect(parse({ message: { case: "kindStatuses", value: { statuses } } })).toMatchObject({
      refusal: { reason: "overLimit" },
    });
    expect(parseRequest(new Uint8Array(11), 10)).toMatchObject({ refusal: { reason: "overLimit" } });
  });

  test("digests have as many buckets as a kind has, or none, by their level", () => {
    const kinds = [{ resource: "pods", rowCount: 1n, sum: 2n, bucketRowCounts: [1], bucketSums: [2n] }];
    for (const level of [DigestLevel.KINDS, DigestLevel.BUCKETS])
      expect(parse({ message: { case: "digests", value: { level, kinds } } })).toMatchObject({ kind: "refused" });
    const root = { level: DigestLevel.ROOT, kinds: [{ rowCount: 1n, sum: 2n }] };
    expect(parse({ seq: 3n, message: { case: "digests", value: root } })).toEqual({
      kind: "digests",
      digests: {
        seq: 3,
        depth: "root",
        grantsWait: false,
        kinds: [{ resource: "", digest: { rowCount: 1, sum: 2n }, buckets: [] }],
      },
    });
  });

  test("texts that are only shown are cut, not refused", () => {
    const parsed = parse({ message: { case: "goodbye", value: { reason: "x".repeat(5_000) } } });
    expect(parsed.kind === "goodbye" && parsed.reason.length).toBeLessThanOrEqual(1_024);
  });

  test("[SE3] an envelope without a message this build knows is unknown", () => {
    expect(parse({})).toEqual({ kind: "unknown" });
    expect(parseRequest(new Uint8Array([0xc2, 0x0c, 0x02, 0x08, 0x01]), maxBytes)).toEqual({ kind: "unknown" });
  });

  test("[SE4] no bytes make it throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(parseRequest(bytes, maxBytes).kind).toBeTypeOf("string");
      }),
      { numRuns: 500 },
    );
  });
});
