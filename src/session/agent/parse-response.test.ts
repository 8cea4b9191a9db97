// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { ConnectResponseSchema, DigestLevel, RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { parseResponse } from "./parse-response.ts";

type Message = NonNullable<MessageInitShape<typeof ConnectResponseSchema>["message"]>;

function parse(message: Message): ReturnType<typeof parseResponse> {
  return parseResponse(toBinary(ConnectResponseSchema, create(ConnectResponseSchema, { message })));
}

const limits = { creditBytes: 5n, maxMessageBytes: 4_000_000, maxJoinedBytes: 256_000_000n };
const welcome = { protocol: 1, epoch: 3n, durableSeq: 9n, durableIncarnation: "inc", heartbeatMs: 5_000, limits };

test("a welcome is read with its limits; settings that it leaves out are left out", () => {
  expect(parse({ case: "welcome", value: welcome })).toEqual({
    kind: "welcome",
    epoch: 3n,
    heldResources: [],
    durableIncarnation: "inc",
    durableSeq: 9,
    heartbeatMs: 5_000,
    limits: { creditBytes: 5, maxMessageBytes: 4_000_000, maxJoinedBytes: 256_000_000 },
    config: { syncIntervalMs: undefined, isPaused: undefined },
  });
});

test.each<[string, Message]>([
  ["a protocol that was not offered", { case: "welcome", value: { ...welcome, protocol: 2 } }],
  ["no protocol", { case: "welcome", value: { ...welcome, protocol: 0 } }],
  ["no heartbeat", { case: "welcome", value: { ...welcome, heartbeatMs: 0 } }],
  [
    "a message limit that nothing fits",
    { case: "welcome", value: { ...welcome, limits: { ...limits, maxMessageBytes: 10 } } },
  ],
  [
    "chunks smaller than messages",
    { case: "welcome", value: { ...welcome, limits: { ...limits, maxJoinedBytes: 5n } } },
  ],
  ["no limits", { case: "welcome", value: { protocol: 1, heartbeatMs: 5_000 } }],
  ["a scan without pause", { case: "config", value: { syncIntervalMs: 0 } }],
  ["a short nonce", { case: "challenge", value: { nonce: new Uint8Array(31), hubName: "hub" } }],
  ["a bucket that is none", { case: "needBuckets", value: { resource: "pods", buckets: [2_048] } }],
  ["a seq that no number holds", { case: "ack", value: { seq: 2n ** 60n } }],
])("[SE4] %s is refused", (_what, message) => {
  expect(() => parse(message)).toThrow(FlotillaError);
});

test("[SE24] a bucket is named by its number or by its code", () => {
  expect(parse({ case: "needBuckets", value: { resource: "pods", buckets: [0, 1_023, 1_024, 2_047] } })).toEqual({
    kind: "needBuckets",
    resource: "pods",
    all: false,
    buckets: [0, 1_023, 0, 1_023],
  });
});

test("[SE45] a probe is asked for without more words", () => {
  expect(parse({ case: "probeApiServer", value: {} })).toEqual({ kind: "probeApiServer" });
});

test("[TU1] a tunnel is offered with its id, its ticket and how long it is waited for", () => {
  const ticket = new Uint8Array(32).fill(7);
  expect(parse({ case: "openTunnel", value: { tunnelId: "tun_1", ticket, deadlineMs: 15_000 } })).toEqual({
    kind: "openTunnel",
    offer: { tunnelId: "tun_1", ticket, deadlineMs: 15_000 },
  });
});

test.each([0, 31, 33])("[TU2] a ticket of %i bytes is none", (byteCount) => {
  const value = { tunnelId: "tun_1", ticket: new Uint8Array(byteCount), deadlineMs: 15_000 };
  expect(() => parse({ case: "openTunnel", value })).toThrow(expect.objectContaining({ code: "MALFORMED" }));
});

test("[TU1] the id of a tunnel, which stands in logs, is cut", () => {
  const value = { tunnelId: "t".repeat(5_000), ticket: new Uint8Array(32), deadlineMs: 1 };
  const parsed = parse({ case: "openTunnel", value });
  expect(parsed.kind === "openTunnel" && parsed.offer.tunnelId.length).toBeLessThanOrEqual(128);
});

test("[SE3] messages and values of a newer hub are unknown, not wrong", () => {
  expect(parseResponse(new Uint8Array([0xfa, 0x01, 0x00]))).toEqual({ kind: "unknown" });
  expect(parse({ case: "needDigests", value: { level: DigestLevel.UNSPECIFIED } })).toEqual({ kind: "unknown" });
  // Rejected with reason 99.
  expect(parseResponse(new Uint8Array([0x1a, 0x02, 0x08, 99]))).toMatchObject({ reason: "UNSPECIFIED" });
  expect(parse({ case: "rejected", value: { reason: RejectReason.PAUSED } })).toMatchObject({ reason: "PAUSED" });
});

test("[SE4] no bytes do more than be refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        expect(parseResponse(bytes).kind).toBeTypeOf("string");
      } catch (reason) {
        expect(reason).toMatchObject({ code: "MALFORMED" });
      }
    }),
  );
});
