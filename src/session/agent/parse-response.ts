// SPDX-License-Identifier: Apache-2.0
// Parses and checks messages of the hub (SE3, SE4). The rest of the agent's side sees only the result.
import { fromBinary } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import {
  type Config,
  type ConnectResponse,
  ConnectResponseSchema,
  DigestLevel,
  RejectReason,
  type Welcome,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { parseResourceId, type ResourceId } from "../../model/gvr.ts";
import { sessionBucketCount } from "../../model/rows/bucket.ts";
import { cutText, quote } from "../../model/text.ts";
import type { ReviewOrder } from "../access-samples/access-sample.ts";
import { parseReviewAccess } from "../access-samples/review-messages.ts";
import type { ObjectHint } from "../hints/hint.ts";
import { parseObjectHint } from "../hints/hint-messages.ts";
import { nonceBytes } from "../proof.ts";
import { type TunnelOffer, ticketBytes } from "../tunnel/tunnel.ts";

/**
 * The newest protocol that this agent speaks.
 * 1: first.
 */
export const newestProtocol = 1;

/** Smallest usable message limit: a row may take 64 KiB, and smaller chunks are mostly overhead. */
const leastMessageBytes = 1_024;

/**
 * Accepted heartbeat intervals. Below, the deadline is within normal network delays; above, a loss is noticed too late
 * (L11).
 */
const heartbeatBoundsMs = { least: 100, most: 600_000 } as const;

/** Most bytes of a tunnel's id, which appears in logs. Generated ids have about 30. */
const maxTunnelIdBytes = 128;

/** Most kinds that a hub can hold of one cluster, whatever its configured limit. */
const maxHeldCount = 65_536;

/** Why a session was refused or ended, by its name on the wire. */
export type RejectName = Exclude<keyof typeof RejectReason, number>;

/** The limits of a session. */
export interface WelcomeLimits {
  readonly creditBytes: number;
  readonly maxMessageBytes: number;
  readonly maxJoinedBytes: number;
}

/** The hub's settings for collection; undefined keeps the agent's own setting. */
export interface SessionConfig {
  readonly syncIntervalMs: number | undefined;
  readonly isPaused: boolean | undefined;
}

export interface WelcomeMessage {
  readonly kind: "welcome";
  readonly epoch: bigint;
  readonly durableIncarnation: string;
  readonly durableSeq: number;
  readonly heartbeatMs: number;
  readonly limits: WelcomeLimits;
  readonly config: SessionConfig;
  /** Kinds whose rows the hub holds and that Hello did not name (SE58). */
  readonly heldResources: readonly ResourceId[];
}

export interface NeedBuckets {
  readonly kind: "needBuckets";
  readonly resource: string;
  readonly all: boolean;
  /** Numbers below the number of a kind's buckets. */
  readonly buckets: readonly number[];
}

/** One message of the hub. */
export type HubMessage =
  | { readonly kind: "challenge"; readonly nonce: Uint8Array; readonly hubName: string }
  | WelcomeMessage
  | {
      readonly kind: "rejected";
      readonly reason: RejectName;
      readonly retryAfterMs: number;
      readonly detail: string;
      /** The hub keeps the stream open (SE12). */
      readonly isHeld: boolean;
    }
  | { readonly kind: "ack"; readonly seq: number }
  | { readonly kind: "credit"; readonly byteCount: number; readonly position: number }
  | {
      readonly kind: "needDigests";
      readonly level: "root" | "kinds" | "buckets";
      readonly resources: readonly string[];
    }
  | NeedBuckets
  | { readonly kind: "config"; readonly config: SessionConfig }
  | { readonly kind: "drain"; readonly retryAfterMs: number }
  /** `messageCount`: messages of the hub before this one, since Welcome; 0 if not sent (SE35). */
  | { readonly kind: "heartbeatAnswer"; readonly number: number; readonly messageCount: number }
  | { readonly kind: "probeApiServer" }
  | { readonly kind: "openTunnel"; readonly offer: TunnelOffer }
  | { readonly kind: "reviewAccess"; readonly order: ReviewOrder }
  | { readonly kind: "objectHint"; readonly hint: ObjectHint }
  /** From a newer hub: counted and skipped (SE3). */
  | { readonly kind: "unknown" };

function refuse(fault: string): never {
  throw new FlotillaError("MALFORMED", `the hub sent a message that ${fault}; the session ends and begins again`);
}

function toNumber(value: bigint, what: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) refuse(`has a ${what} of ${value}, which no hub reaches`);
  return Number(value);
}

function toConfig(config: Config | undefined): SessionConfig {
  const { syncIntervalMs } = config ?? {};
  if (syncIntervalMs === 0) refuse("has a sync interval of 0");
  return { syncIntervalMs, isPaused: config?.isPaused };
}

function parseWelcome(welcome: Welcome): WelcomeMessage {
  const { limits, heartbeatMs, protocol } = welcome;
  if (protocol < 1 || protocol > newestProtocol) refuse(`chooses protocol ${protocol}, which was not offered`);
  if (heartbeatMs < heartbeatBoundsMs.least || heartbeatMs > heartbeatBoundsMs.most)
    refuse(`sets a heartbeat of ${heartbeatMs} ms`);
  if (limits === undefined) refuse("welcomes without limits");
  if (limits.maxMessageBytes < leastMessageBytes) refuse(`allows messages of ${limits.maxMessageBytes} bytes only`);
  const maxJoinedBytes = toNumber(limits.maxJoinedBytes, "limit");
  if (maxJoinedBytes < limits.maxMessageBytes) refuse("allows less in chunks than in one message");
  return {
    kind: "welcome",
    epoch: welcome.epoch,
    durableIncarnation: welcome.durableIncarnation,
    durableSeq: toNumber(welcome.durableSeq, "durable seq"),
    heartbeatMs,
    limits: {
      creditBytes: toNumber(limits.creditBytes, "credit"),
      maxMessageBytes: limits.maxMessageBytes,
      maxJoinedBytes,
    },
    config: toConfig(welcome.config),
    heldResources: parseHeld(welcome.heldResources),
  };
}

function parseHeld(texts: readonly string[]): readonly ResourceId[] {
  if (texts.length > maxHeldCount) refuse(`names ${texts.length} kinds that it holds`);
  return texts.map((text) => {
    try {
      return parseResourceId(text);
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      return refuse(`names ${quote(cutText(text, maxTunnelIdBytes))} as a kind that it holds`);
    }
  });
}

/** A bucket is given by its number or by its code, which is 1,024 higher (SE24). */
function toBucket(named: number): number {
  const bucket = named >= sessionBucketCount ? named - sessionBucketCount : named;
  if (bucket >= sessionBucketCount) refuse(`asks for bucket ${named}`);
  return bucket;
}

const rejectNames = new Map<number, RejectName>(
  (Object.entries(RejectReason) as [RejectName, number][]).map(([name, number]) => [number, name]),
);

const levels = new Map<number, "root" | "kinds" | "buckets">([
  [DigestLevel.ROOT, "root"],
  [DigestLevel.KINDS, "kinds"],
  [DigestLevel.BUCKETS, "buckets"],
]);

function decode(bytes: Uint8Array): ConnectResponse["message"] {
  try {
    return fromBinary(ConnectResponseSchema, bytes).message;
  } catch (reason) {
    throw new FlotillaError("MALFORMED", "the hub sent bytes that are not a session message", { cause: reason });
  }
}

/** Parses one message of the hub. Throws MALFORMED. A message or value of a newer protocol is `unknown`. */
export function parseResponse(bytes: Uint8Array): HubMessage {
  const message = decode(bytes);
  switch (message.case) {
    case "challenge": {
      const { nonce, hubName } = message.value;
      if (nonce.length !== nonceBytes) refuse(`has a nonce of ${nonce.length} bytes`);
      return { kind: "challenge", nonce, hubName };
    }
    case "welcome":
      return parseWelcome(message.value);
    case "rejected": {
      const { reason, retryAfterMs, detail, isHeld } = message.value;
      return { kind: "rejected", reason: rejectNames.get(reason) ?? "UNSPECIFIED", retryAfterMs, detail, isHeld };
    }
    case "ack":
      return { kind: "ack", seq: toNumber(message.value.seq, "seq") };
    case "credit":
      return {
        kind: "credit",
        byteCount: toNumber(message.value.bytes, "credit"),
        position: message.value.position,
      };
    case "needDigests": {
      const level = levels.get(message.value.level);
      return level === undefined
        ? { kind: "unknown" }
        : { kind: "needDigests", level, resources: message.value.resources };
    }
    case "needBuckets": {
      const { resource, all, buckets } = message.value;
      if (buckets.length > sessionBucketCount)
        refuse(`asks for ${buckets.length} buckets of ${quote(resource)}, which has ${sessionBucketCount}`);
      return { kind: "needBuckets", resource, all, buckets: buckets.map(toBucket) };
    }
    case "config":
      return { kind: "config", config: toConfig(message.value) };
    case "drain":
      return { kind: "drain", retryAfterMs: message.value.retryAfterMs };
    case "heartbeatAnswer":
      return {
        kind: "heartbeatAnswer",
        number: toNumber(message.value.number, "number"),
        messageCount: toNumber(message.value.messageCount, "message_count"),
      };
    case "probeApiServer":
      return { kind: "probeApiServer" };
    case "openTunnel": {
      const { tunnelId, ticket, deadlineMs } = message.value;
      if (ticket.length !== ticketBytes) refuse(`has a ticket of ${ticket.length} bytes`);
      return { kind: "openTunnel", offer: { tunnelId: cutText(tunnelId, maxTunnelIdBytes), ticket, deadlineMs } };
    }
    case "reviewAccess":
      return { kind: "reviewAccess", order: parseReviewAccess(message.value) };
    case "objectHint":
      return { kind: "objectHint", hint: parseObjectHint(message.value) };
    case undefined:
      return { kind: "unknown" };
  }
}
