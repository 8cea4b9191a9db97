// SPDX-License-Identifier: Apache-2.0
import { fromBinary } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import {
  type ConnectRequest,
  ConnectRequestSchema,
  DigestLevel,
  type Digests,
  type Flush,
  type Heartbeat,
  type Hello,
  type KindDigest,
  KindState,
  type KindStatus,
  type TunnelFailure as WireTunnelFailure,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { parseResourceId, resourceIdText } from "../../model/gvr.ts";
import { parseBucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { cutText, quote } from "../../model/text.ts";
import { parseAccessReport, parseAccessVerdicts } from "../access-samples/review-messages.ts";
import { parseHintAnswers } from "../hints/hint-messages.ts";
import { maxTunnelsOfAgent, type TunnelFailure } from "../tunnel/tunnel.ts";
import { fromRefusal } from "../tunnel/tunnel-messages.ts";
import { parseMetadata } from "./parse-metadata.ts";
import type {
  CredentialFacts,
  DigestDepth,
  DigestsFacts,
  FlushFacts,
  HeartbeatFacts,
  HelloFacts,
  KindDigestFacts,
  KindFacts,
  ParsedRequest,
  PartFacts,
  ReportedFollowing,
} from "./parsed-request.ts";
import { maxDurationMs, maxKindCount, maxPartCount, maxShownBytes, maxWordBytes } from "./session-limits.ts";

/** Most bytes of an id that an agent chooses; generated ones have 24. */
const maxIdBytes = 128;

/** Most bytes of a signature; one of Ed25519 has 64. */
const maxSignatureBytes = 256;

const followings: Readonly<Record<KindState, ReportedFollowing>> = {
  [KindState.UNSPECIFIED]: "unknown",
  [KindState.LISTING]: "listing",
  [KindState.WATCHING]: "watching",
  [KindState.POLLING]: "polling",
  [KindState.NOT_INSTALLED]: "notInstalled",
  [KindState.FAILED]: "failed",
};

function malformed(sentence: string): never {
  throw new FlotillaError("MALFORMED", sentence);
}

function tooLarge(sentence: string): never {
  throw new FlotillaError("TOO_LARGE", sentence);
}

function toNumber(value: bigint, what: string): number {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : malformed(`${what} is beyond 2^53`);
}

/** A duration in a message (SE55). */
function toDuration(value: bigint, what: string): number {
  return value <= BigInt(maxDurationMs) ? Number(value) : malformed(`${what} is longer than ${maxDurationMs} ms`);
}

/** A version, fault or verb: a short word. */
function shownWord(text: string): string {
  return cutText(text, maxWordBytes);
}

function shown(text: string): string {
  return cutText(text, maxShownBytes);
}

function checkCount(what: string, count: number, max: number): void {
  if (count > max) tooLarge(`a message has ${count} ${what}, the most is ${max}`);
}

/** An id or shard: short, and without characters that a store key or a log line cannot contain. */
function parseName(what: string, text: string, minLength: number): string {
  // oxlint-disable-next-line no-control-regex
  const isFit = text.length >= minLength && text.length <= maxIdBytes && !/[\u0000-\u0020\u007f]/.test(text);
  return isFit && text.isWellFormed()
    ? text
    : malformed(`${what} ${quote(cutText(text, maxIdBytes))} is not a plain name`);
}

function parseNamespaces(names: readonly string[]): readonly string[] {
  checkCount("namespaces", names.length, maxKindCount);
  return names.map((name) => parseName("namespace", name, 1));
}

function parseResources(texts: readonly string[]): readonly string[] {
  checkCount("resources", texts.length, maxKindCount);
  return texts.map((text) => resourceIdText(parseResourceId(text)));
}

function parseHello(hello: Hello): HelloFacts {
  return {
    protocol: hello.protocol,
    clusterId: parseClusterId(hello.clusterId),
    shard: parseName("shard", hello.shard, 0),
    agentId: parseName("agent id", hello.agentId, 1),
    incarnation: parseName("incarnation", hello.incarnation, 1),
    agentVersion: shown(hello.agentVersion),
    clusterUid: parseName("cluster uid", hello.clusterUid, 1),
    metadata: parseMetadata(hello.metadata),
    resources: parseResources(hello.resources),
    namespaces: {
      included: parseNamespaces(hello.includedNamespaces),
      excluded: parseNamespaces(hello.excludedNamespaces),
    },
    servesTunnels: hello.servesTunnels,
    takesHints: hello.takesHints,
  };
}

function parsePart(part: Flush["parts"][number]): PartFacts {
  const resource = parseResourceId(part.resource);
  const resourceText = resourceIdText(resource);
  if (resourceText !== part.resource) malformed(`resource ${quote(part.resource)} is written ${resourceText}`);
  if (part.replacedBucket !== 0 && parseBucketCode(part.replacedBucket)?.bucketCount !== sessionBucketCount)
    malformed(`${part.replacedBucket} is not the code of one of ${sessionBucketCount} buckets`);
  return { resource, resourceText, replacedBucket: part.replacedBucket, batch: part.batch };
}

function parseFlush({ seq, collectedMsAgo }: ConnectRequest, { parts }: Flush): FlushFacts {
  checkCount("parts", parts.length, maxPartCount);
  if (seq === 0n) malformed("a flush has no number");
  return {
    seq: toNumber(seq, "seq"),
    collectedMsAgo,
    parts: parts.map(parsePart),
    sizeBytes: parts.reduce((sum, { batch }) => sum + batch.length, 0),
  };
}

function parseStatus(status: KindStatus): KindFacts {
  const { currentMsAgo, listedMsAgo } = status;
  return {
    resource: resourceIdText(parseResourceId(status.resource)),
    state: followings[status.state] ?? "unknown",
    version: shownWord(status.version),
    sinceMsAgo: toDuration(status.sinceMsAgo, "since_ms_ago"),
    currentMsAgo: currentMsAgo === undefined ? undefined : toDuration(currentMsAgo, "current_ms_ago"),
    listedMsAgo: listedMsAgo === undefined ? undefined : toDuration(listedMsAgo, "listed_ms_ago"),
    isComplete: status.isComplete,
    fault: shownWord(status.fault),
    verb: shownWord(status.verb),
    error: shown(status.error),
    refusedCount: status.refusedCount,
    refusedError: shown(status.refusedError),
    leftOutCount: toNumber(status.leftOutCount, "left_out_count"),
    overrunMs: toDuration(status.overrunMs, "overrun_ms"),
  };
}

function parseKindDigest(kind: KindDigest, depth: DigestDepth): KindDigestFacts {
  const resource = depth === "root" ? "" : resourceIdText(parseResourceId(kind.resource));
  const counts = kind.bucketRowCounts;
  const expected = depth === "buckets" ? sessionBucketCount : 0;
  if (counts.length !== expected || kind.bucketSums.length !== expected)
    malformed(`digests of ${counts.length} buckets came where ${expected} belong`);
  return {
    resource,
    digest: { rowCount: toNumber(kind.rowCount, "row_count"), sum: kind.sum },
    buckets: counts.map((rowCount, at) => ({ rowCount, sum: kind.bucketSums[at] ?? 0n })),
  };
}

function depthOf(level: DigestLevel): DigestDepth {
  if (level === DigestLevel.ROOT) return "root";
  if (level === DigestLevel.KINDS) return "kinds";
  return level === DigestLevel.BUCKETS ? "buckets" : malformed(`digests of level ${level}`);
}

function parseDigests(seq: bigint, { level, kinds, grantsWait }: Digests): DigestsFacts {
  const depth = depthOf(level);
  checkCount("kinds", kinds.length, maxKindCount);
  if (depth === "root" && kinds.length !== 1) malformed(`a root digest came with ${kinds.length} kinds`);
  return { seq: toNumber(seq, "seq"), depth, kinds: kinds.map((kind) => parseKindDigest(kind, depth)), grantsWait };
}

function parseHeartbeat(heartbeat: Heartbeat): HeartbeatFacts {
  return {
    number: heartbeat.number,
    apiServerFault: shownWord(heartbeat.apiServerFault),
    apiServerSinceMsAgo: toDuration(heartbeat.apiServerSinceMsAgo, "api_server_since_ms_ago"),
    apiServerError: shown(heartbeat.apiServerError),
    apiServerAttemptCount: heartbeat.apiServerAttemptCount,
    apiServerRetryInMs: toDuration(heartbeat.apiServerRetryInMs, "api_server_retry_in_ms"),
    waitingRowCount: toNumber(heartbeat.waitingRowCount, "waiting_row_count"),
    oldestWaitingMs: toDuration(heartbeat.oldestWaitingMs, "oldest_waiting_ms"),
    messageCount: toNumber(heartbeat.messageCount, "message_count"),
    credential: parseCredential(heartbeat),
  };
}

/** 1,000 years: a later end has no meaning, and dates on the wire end with the year 9999. */
const longestTermMs = 1_000 * 365 * 86_400_000;

function parseCredential({ credentialEndsInMs, credentialLifetimeMs }: Heartbeat): CredentialFacts | undefined {
  if (credentialEndsInMs === undefined) return undefined;
  const endsInMs = Math.max(-longestTermMs, Math.min(longestTermMs, Number(credentialEndsInMs)));
  return { endsInMs, lifetimeMs: Math.min(longestTermMs, Number(credentialLifetimeMs)) };
}

function parseTunnelFailure({ tunnelId, reason }: WireTunnelFailure): TunnelFailure {
  return reason === undefined
    ? malformed("a tunnel failed without a reason")
    : { tunnelId: parseName("tunnel id", tunnelId, 1), error: fromRefusal(reason) };
}

function parseMessage(request: ConnectRequest): ParsedRequest {
  const { message, seq } = request;
  switch (message.case) {
    case "hello":
      return { kind: "hello", hello: parseHello(message.value) };
    case "proof":
      if (message.value.signature.length > maxSignatureBytes) malformed("a signature is too long");
      return { kind: "proof", signature: message.value.signature };
    case "flush":
      return { kind: "flush", flush: parseFlush(request, message.value) };
    case "kindsFollowed":
      return { kind: "kindsFollowed", resources: parseResources(message.value.resources) };
    case "kindStatuses":
      checkCount("kinds", message.value.statuses.length, maxKindCount);
      return { kind: "kindStatuses", kinds: message.value.statuses.map(parseStatus) };
    case "digests":
      return { kind: "digests", digests: parseDigests(seq, message.value) };
    case "heartbeat":
      return { kind: "heartbeat", heartbeat: parseHeartbeat(message.value) };
    case "tunnelFailures":
      checkCount("tunnel failures", message.value.failures.length, maxTunnelsOfAgent);
      return { kind: "tunnelFailures", failures: message.value.failures.map(parseTunnelFailure) };
    case "accessReport":
      return { kind: "accessReport", report: parseAccessReport(message.value) };
    case "accessVerdicts":
      return { kind: "accessVerdicts", answer: parseAccessVerdicts(message.value) };
    case "hintAnswers":
      return { kind: "hintAnswers", answers: parseHintAnswers(message.value) };
    case "goodbye":
      return { kind: "goodbye", reason: shown(message.value.reason) };
    case "chunk":
      return { kind: "chunk", part: { bytes: message.value.bytes, isLast: message.value.isLast } };
    default:
      return { kind: "unknown" };
  }
}

function decode(bytes: Uint8Array): ConnectRequest {
  try {
    return fromBinary(ConnectRequestSchema, bytes);
  } catch (cause) {
    throw new FlotillaError("MALFORMED", "a message does not decode as a ConnectRequest", { cause });
  }
}

/**
 * Parses one whole message. Never throws for bad input: a message that does not decode or breaks a rule is `refused`
 * with its reason (SE4), one of an unknown kind is `unknown` (SE3). The batches of a flush share the memory of `bytes`.
 */
export function parseRequest(bytes: Uint8Array, maxBytes: number): ParsedRequest {
  try {
    if (bytes.length > maxBytes) tooLarge(`a message has ${bytes.length} bytes, the most is ${maxBytes}`);
    return parseMessage(decode(bytes));
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    const isOver = reason.code === "TOO_LARGE";
    return { kind: "refused", refusal: { reason: isOver ? "overLimit" : "malformed", detail: reason.message } };
  }
}
