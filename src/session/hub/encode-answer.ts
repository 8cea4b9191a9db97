// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import { unreachable } from "../../base/assert.ts";
import { type ConnectResponse, ConnectResponseSchema, DigestLevel } from "../../gen/flotilla/session/v1/session_pb.ts";
import { toReviewAccess } from "../access-samples/review-messages.ts";
import { toObjectHint } from "../hints/hint-messages.ts";
import type { DigestAsk } from "./compare-digests.ts";
import type { HubAnswer } from "./hub-session-types.ts";
import { protocolVersion, type SessionLimits } from "./session-limits.ts";
import { rejectionNumbers } from "./session-rejections.ts";

/** Fields of messages that are not part of the answer itself. */
export interface AnswerContext {
  readonly hubName: string;
  readonly limits: SessionLimits;
  /** Messages sent in this session before this one, since Welcome (SE35). */
  readonly messageCount: number;
}

/** A time in wire form: whole milliseconds in 32 bits. */
function toUint32(ms: number): number {
  return Math.min(0xffff_ffff, Math.max(0, Math.ceil(ms)));
}

function toResponse(answer: HubAnswer, { hubName, limits, messageCount }: AnswerContext): ConnectResponse {
  switch (answer.kind) {
    case "challenge":
      return create(ConnectResponseSchema, { message: { case: "challenge", value: { nonce: answer.nonce, hubName } } });
    case "welcome": {
      const value = {
        protocol: protocolVersion,
        epoch: BigInt(answer.epoch),
        durableIncarnation: answer.durableIncarnation,
        durableSeq: BigInt(answer.durableSeq),
        heartbeatMs: limits.heartbeatMs,
        limits: {
          creditBytes: BigInt(answer.creditBytes),
          maxMessageBytes: limits.maxMessageBytes,
          maxJoinedBytes: BigInt(limits.maxJoinedBytes),
        },
        ...(answer.isPaused ? { config: { isPaused: true } } : {}),
        heldResources: [...answer.heldResources],
      };
      return create(ConnectResponseSchema, { message: { case: "welcome", value } });
    }
    case "rejected": {
      const { reason, retryAfterMs, detail } = answer.rejection;
      const { isHeld = false } = answer;
      const value = { reason: rejectionNumbers[reason], retryAfterMs: toUint32(retryAfterMs), detail, isHeld };
      return create(ConnectResponseSchema, { message: { case: "rejected", value } });
    }
    case "config": {
      const value = { isPaused: answer.isPaused };
      return create(ConnectResponseSchema, { message: { case: "config", value } });
    }
    case "ack":
      return create(ConnectResponseSchema, { message: { case: "ack", value: { seq: BigInt(answer.seq) } } });
    case "credit": {
      const value = { bytes: BigInt(answer.creditBytes), position: answer.position };
      return create(ConnectResponseSchema, { message: { case: "credit", value } });
    }
    case "heartbeatAnswer":
      return create(ConnectResponseSchema, {
        message: { case: "heartbeatAnswer", value: { number: answer.number, messageCount: BigInt(messageCount) } },
      });
    case "probeApiServer":
      return create(ConnectResponseSchema, { message: { case: "probeApiServer", value: {} } });
    case "openTunnel": {
      const { tunnelId, ticket, deadlineMs } = answer.offer;
      const value = { tunnelId, ticket, deadlineMs: toUint32(deadlineMs) };
      return create(ConnectResponseSchema, { message: { case: "openTunnel", value } });
    }
    case "reviewAccess":
      return create(ConnectResponseSchema, { message: { case: "reviewAccess", value: toReviewAccess(answer.order) } });
    case "objectHint":
      return create(ConnectResponseSchema, { message: { case: "objectHint", value: toObjectHint(answer.hint) } });
    case "drain": {
      const value = { retryAfterMs: toUint32(answer.retryAfterMs) };
      return create(ConnectResponseSchema, { message: { case: "drain", value } });
    }
    default:
      return unreachable(answer, "answer");
  }
}

/** Encodes a message to the agent. */
export function encodeAnswer(answer: HubAnswer, context: AnswerContext): Uint8Array {
  return toBinary(ConnectResponseSchema, toResponse(answer, context));
}

/** Encodes a request of the digest exchange (SE23). */
export function encodeAsk(ask: DigestAsk): Uint8Array {
  if (ask.kind === "rows") {
    const value = { resource: ask.resource, all: ask.all, buckets: [...ask.codes] };
    return toBinary(ConnectResponseSchema, create(ConnectResponseSchema, { message: { case: "needBuckets", value } }));
  }
  const value =
    ask.kind === "kinds"
      ? { level: DigestLevel.KINDS, resources: [] }
      : { level: DigestLevel.BUCKETS, resources: [...ask.resources] };
  return toBinary(ConnectResponseSchema, create(ConnectResponseSchema, { message: { case: "needDigests", value } }));
}
