// SPDX-License-Identifier: Apache-2.0
// Builds the message of an intent when it is about to be sent. Flushes are built earlier, elsewhere.
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import { ConnectRequestSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import { toAccessReport, toAccessVerdicts } from "../../session/access-samples/review-messages.ts";
import { bucketDigests, kindDigests, rootDigests } from "../../session/agent/answer-digests.ts";
import type { Outbox } from "../../session/agent/outbox.ts";
import { newestProtocol } from "../../session/agent/parse-response.ts";
import type { Intent } from "../../session/agent/session-event.ts";
import { splitIntoChunks } from "../../session/chunks.ts";
import { toHintAnswers } from "../../session/hints/hint-messages.ts";
import type { SessionIdentity } from "../../session/proof.ts";
import { toRefusal } from "../../session/tunnel/tunnel-messages.ts";
import type { KindAnnouncements } from "./kind-announcements.ts";
import type { KindStatusLog } from "./kind-status-log.ts";
import type { UplinkOptions } from "./uplink-options.ts";

/** A message to the hub, as input of the encoder. */
export type RequestMessage = NonNullable<MessageInitShape<typeof ConnectRequestSchema>["message"]>;

/** The sources of one session's messages. */
export interface RequestSources {
  readonly options: UplinkOptions;
  readonly outbox: Outbox;
  readonly statuses: KindStatusLog;
  readonly identity: SessionIdentity;
  readonly announcements: KindAnnouncements;
  /** Messages sent since Welcome, each chunk counted (SE35). */
  readonly sentCount: () => number;
}

/** Bytes of a chunk's message besides its part: seq, field heads and lengths, at most 24. */
const chunkFrameBytes = 32;

/** Longest part: two seconds on a line of 1 Mbit/s, so that a long message makes progress between two heartbeats. */
const maxPartBytes = 262_144;

function wholeMs(durationMs: number): bigint {
  return BigInt(Math.max(0, Math.round(durationMs)));
}

function heartbeat(number: number, { options, outbox, sentCount }: RequestSources): RequestMessage {
  const nowMs = options.clock.nowMs();
  const apiServer = options.apiServer();
  const term = options.credentialTerm?.();
  return {
    case: "heartbeat",
    value: {
      number: BigInt(number),
      apiServerFault: apiServer.fault,
      apiServerSinceMsAgo: wholeMs(nowMs - apiServer.sinceMs),
      apiServerError: apiServer.error,
      apiServerAttemptCount: apiServer.attemptCount,
      apiServerRetryInMs: wholeMs((apiServer.retryAtMs ?? nowMs) - nowMs),
      waitingRowCount: BigInt(outbox.waitingCount),
      // Counts unacknowledged rows too: a row that a slow hub has received and not stored is not visible.
      oldestWaitingMs: wholeMs(nowMs - (outbox.oldestUnackedSinceMs ?? nowMs)),
      messageCount: BigInt(sentCount()),
      ...(term === undefined
        ? {}
        : {
            credentialEndsInMs: BigInt(Math.round(term.endsAtMs - options.clock.wallMs())),
            credentialLifetimeMs: wholeMs(term.lifetimeMs),
          }),
    },
  };
}

function hello({ options, identity, announcements }: RequestSources): RequestMessage {
  const { agentVersion, clusterUid, metadata, includedNamespaces, excludedNamespaces } = options.identity;
  return {
    case: "hello",
    value: {
      protocol: newestProtocol,
      ...identity,
      agentVersion,
      clusterUid,
      metadata: { ...metadata, labels: { ...metadata.labels } },
      resources: [...announcements.take()],
      includedNamespaces: [...includedNamespaces],
      excludedNamespaces: [...excludedNamespaces],
      servesTunnels: options.openTunnel !== undefined,
      takesHints: options.takeHint !== undefined,
    },
  };
}

function digests(value: ReturnType<typeof rootDigests>): RequestMessage | undefined {
  return value === undefined ? undefined : { case: "digests", value };
}

/** Digests of all complete kinds, or of those completed since the last such message. */
function kinds(all: boolean, { options, outbox }: RequestSources): RequestMessage | undefined {
  const completed = new Set(outbox.takeCompleted().map((kind) => kind.resource));
  return digests(kindDigests(options.rows, all ? undefined : completed));
}

/** The message of an intent; undefined if there is nothing left to send. */
export function makeRequest(
  intent: Exclude<Intent, { kind: "flush" }>,
  sources: RequestSources,
): RequestMessage | undefined {
  const { outbox, options } = sources;
  const { rows } = options;
  switch (intent.kind) {
    case "hello":
      return hello(sources);
    case "proof":
      return { case: "proof", value: { signature: intent.signature } };
    case "heartbeat":
      return heartbeat(intent.number, sources);
    case "statuses": {
      const statuses = sources.statuses.take(intent.all, options.clock.nowMs());
      return statuses.length === 0 ? undefined : { case: "kindStatuses", value: { statuses: [...statuses] } };
    }
    case "root":
      // The hub would answer a root over kinds that it has not compared by asking for their digests.
      if (outbox.hasCompleted) return kinds(true, sources);
      return outbox.isRepairing ? undefined : digests(rootDigests(rows));
    case "kinds":
      return kinds(intent.all, sources);
    case "buckets":
      return digests(bucketDigests(rows, new Set(intent.resources)));
    case "tunnelFailures": {
      const failures = intent.failures.map(({ tunnelId, error }) => ({ tunnelId, reason: toRefusal(error) }));
      return { case: "tunnelFailures", value: { failures } };
    }
    case "accessReport": {
      const report = options.access?.report();
      return report === undefined ? undefined : { case: "accessReport", value: toAccessReport(report) };
    }
    case "accessVerdicts":
      return { case: "accessVerdicts", value: toAccessVerdicts(intent.answer) };
    case "hintAnswers":
      return { case: "hintAnswers", value: toHintAnswers(intent.answers) };
    case "goodbye":
      return { case: "goodbye", value: { reason: intent.reason } };
  }
}

/**
 * Names the kinds that this session has not named yet, as many as fit into one message; undefined without any (SE56).
 */
export function makeAnnouncement({ announcements }: RequestSources): RequestMessage | undefined {
  const resources = announcements.take();
  return resources.length === 0 ? undefined : { case: "kindsFollowed", value: { resources: [...resources] } };
}

/** The bytes of one message. */
export function encodeRequest(message: RequestMessage, seq: number, collectedMsAgo = 0): Uint8Array {
  return toBinary(
    ConnectRequestSchema,
    create(ConnectRequestSchema, {
      seq: BigInt(seq),
      collectedMsAgo: Math.min(0xffff_ffff, Math.max(0, Math.round(collectedMsAgo))),
      message,
    }),
  );
}

/** From Welcome: the most bytes of one message, and of a message in chunks. */
export interface MessageLimits {
  readonly maxMessageBytes: number;
  readonly maxJoinedBytes: number;
}

function partBytesOf({ maxMessageBytes }: MessageLimits): number {
  return Math.min(maxMessageBytes - chunkFrameBytes, maxPartBytes);
}

/** Most bytes of a message on the stream, including chunk overhead. Throws TOO_LARGE if it exceeds the hub's limit. */
export function framedBytes(byteCount: number, limits: MessageLimits): number {
  if (byteCount <= limits.maxMessageBytes) return byteCount;
  if (byteCount > limits.maxJoinedBytes)
    throw new FlotillaError(
      "TOO_LARGE",
      `a message of ${byteCount} bytes does not fit into the ${limits.maxJoinedBytes} that the hub takes in chunks; raise the limit of the hub`,
    );
  return byteCount + Math.ceil(byteCount / partBytesOf(limits)) * chunkFrameBytes;
}

/**
 * The frames of a message: the message itself, or chunks if it exceeds the limit (SE19). Throws TOO_LARGE if it exceeds
 * the limit for chunked messages.
 */
export function toFrames(bytes: Uint8Array, seq: number, limits: MessageLimits): readonly Uint8Array[] {
  if (framedBytes(bytes.length, limits) === bytes.length) return [bytes];
  return splitIntoChunks(bytes, partBytesOf(limits)).map((part) => encodeRequest({ case: "chunk", value: part }, seq));
}
