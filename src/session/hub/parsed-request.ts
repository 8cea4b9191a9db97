// SPDX-License-Identifier: Apache-2.0
// The checked content of a message from an agent: plain values within bounds, without wire types.

import type { ResourceId } from "../../model/gvr.ts";
import type { Digest } from "../../model/rows/digest.ts";
import type { AccessReportFacts, ReviewAnswer } from "../access-samples/access-sample.ts";
import type { ChunkPart } from "../chunks.ts";
import type { HintAnswer } from "../hints/hint.ts";
import type { SessionIdentity } from "../proof.ts";
import type { TunnelFailure } from "../tunnel/tunnel.ts";
import type { Refusal } from "./session-rejections.ts";

/** The agent's description of its cluster (N-32). */
export interface MetadataFacts {
  readonly region: string;
  readonly environment: string;
  readonly version: string;
  readonly kubernetesVersion: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** The namespaces that an agent is limited to or leaves out; empty: no such filter. */
export interface NamespaceFilterFacts {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
}

/** A well-formed Hello. Its identity is claimed, not proven. */
export interface HelloFacts extends SessionIdentity {
  readonly protocol: number;
  readonly agentVersion: string;
  readonly clusterUid: string;
  readonly metadata: MetadataFacts;
  readonly resources: readonly string[];
  readonly namespaces: NamespaceFilterFacts;
  /** Whether it answers OpenTunnel (TU3). */
  readonly servesTunnels: boolean;
  /** Whether it answers ObjectHint (SE65). */
  readonly takesHints: boolean;
}

/** One kind's part of a flush; the batch is still compressed. */
export interface PartFacts {
  readonly resource: ResourceId;
  /** The resource id as text. */
  readonly resourceText: string;
  /** 0 for upserts and deletes, else the code of the bucket that the rows replace (SE24). */
  readonly replacedBucket: number;
  readonly batch: Uint8Array;
}

/** A flush as received. */
export interface FlushFacts {
  readonly seq: number;
  readonly collectedMsAgo: number;
  readonly parts: readonly PartFacts[];
  /** Bytes of the batches, which count against the credit. */
  readonly sizeBytes: number;
}

/** Durations are as of receipt. */
export interface HeartbeatFacts {
  readonly number: bigint;
  /** "" while the API server answers. */
  readonly apiServerFault: string;
  readonly apiServerSinceMsAgo: number;
  readonly apiServerError: string;
  readonly apiServerAttemptCount: number;
  readonly apiServerRetryInMs: number;
  /** Changes that the agent has not sent yet, and how long the oldest unacknowledged one has waited. */
  readonly waitingRowCount: number;
  readonly oldestWaitingMs: number;
  /** Messages that the agent sent before this one, since Welcome; 0 if not sent (SE35). */
  readonly messageCount: number;
  /** Undefined if no end is known. */
  readonly credential: CredentialFacts | undefined;
}

/**
 * The end of an agent's credential for its API server, counted from receipt, and its whole lifetime, 0 if not known
 * (SE46).
 */
export interface CredentialFacts {
  /** Negative after its end. */
  readonly endsInMs: number;
  readonly lifetimeMs: number;
}

/** How an agent follows one kind. */
export type ReportedFollowing = "listing" | "watching" | "polling" | "notInstalled" | "failed" | "unknown";

/** One kind's status. Durations are as of receipt. */
export interface KindFacts {
  /** The resource id as text. */
  readonly resource: string;
  readonly state: ReportedFollowing;
  readonly version: string;
  readonly sinceMsAgo: number;
  /** Undefined before the first complete list. */
  readonly currentMsAgo: number | undefined;
  /**
   * Age of the newest list from which a watch continues (SE47); undefined before that, and from agents that do not send
   * it.
   */
  readonly listedMsAgo: number | undefined;
  readonly isComplete: boolean;
  readonly fault: string;
  readonly verb: string;
  readonly error: string;
  readonly refusedCount: number;
  readonly refusedError: string;
  readonly leftOutCount: number;
  readonly overrunMs: number;
}

/** The agent's digest of one kind; `buckets` in order, only at that level. */
export interface KindDigestFacts {
  readonly resource: string;
  readonly digest: Digest;
  readonly buckets: readonly Digest[];
}

/** The level of a message of digests. */
export type DigestDepth = "root" | "kinds" | "buckets";

/** Digests of the rows sent up to `seq`. At `root` there is one, without a resource. */
export interface DigestSet {
  readonly seq: number;
  readonly depth: DigestDepth;
  readonly kinds: readonly KindDigestFacts[];
}

/** A message of digests. */
export interface DigestsFacts extends DigestSet {
  /** Rows of RBAC kinds have changed at the agent and are not sent yet (SE48). */
  readonly grantsWait: boolean;
}

/** One message from an agent. `unknown` is from a newer peer and skipped (SE3). */
export type ParsedRequest =
  | { readonly kind: "hello"; readonly hello: HelloFacts }
  | { readonly kind: "proof"; readonly signature: Uint8Array }
  | { readonly kind: "flush"; readonly flush: FlushFacts }
  /** Resource id texts (SE56). */
  | { readonly kind: "kindsFollowed"; readonly resources: readonly string[] }
  | { readonly kind: "kindStatuses"; readonly kinds: readonly KindFacts[] }
  | { readonly kind: "digests"; readonly digests: DigestsFacts }
  | { readonly kind: "heartbeat"; readonly heartbeat: HeartbeatFacts }
  | { readonly kind: "tunnelFailures"; readonly failures: readonly TunnelFailure[] }
  | { readonly kind: "accessReport"; readonly report: AccessReportFacts }
  | { readonly kind: "accessVerdicts"; readonly answer: ReviewAnswer }
  | { readonly kind: "hintAnswers"; readonly answers: readonly HintAnswer[] }
  | { readonly kind: "goodbye"; readonly reason: string }
  | { readonly kind: "chunk"; readonly part: ChunkPart }
  | { readonly kind: "unknown" }
  | ({ readonly kind: "refused" } & { readonly refusal: Refusal });
