// SPDX-License-Identifier: Apache-2.0
// What a message up says once it is checked: plain values within bounds, nothing of the wire.
import type { Digest } from "../../model/digest.ts";
import type { ResourceId } from "../../model/gvr.ts";
import type { ChunkPart } from "../chunks.ts";
import type { SessionIdentity } from "../proof.ts";
import type { TunnelFailure } from "../tunnel/tunnel.ts";
import type { Refusal } from "./session-rejections.ts";

/** What an agent says of its cluster (N-32). */
export interface MetadataFacts {
  readonly region: string;
  readonly environment: string;
  readonly version: string;
  readonly kubernetesVersion: string;
  readonly labels: ReadonlyMap<string, string>;
}

/** Which namespaces an agent is limited to or leaves out; empty: no such filter. */
export interface NamespaceFilterFacts {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
}

/** A greeting with parts of the right form. The identity is claimed, not proven. */
export interface HelloFacts extends SessionIdentity {
  readonly protocol: number;
  readonly agentVersion: string;
  readonly clusterUid: string;
  readonly metadata: MetadataFacts;
  readonly resources: readonly string[];
  readonly namespaces: NamespaceFilterFacts;
  /** It answers OpenTunnel (TU3). */
  readonly servesTunnels: boolean;
}

/** One kind's part of a flush; the batch is still compressed. */
export interface PartFacts {
  readonly resource: ResourceId;
  /** The resource id's text. */
  readonly resourceText: string;
  /** 0 for upserts and deletes, else the code of the bucket that the rows replace (SE24). */
  readonly replacedBucket: number;
  readonly batch: Uint8Array;
}

/** A flush as it came. */
export interface FlushFacts {
  readonly seq: number;
  readonly collectedMsAgo: number;
  readonly parts: readonly PartFacts[];
  /** Bytes of the batches: what credit counts. */
  readonly sizeBytes: number;
}

/** Durations are as of receipt. */
export interface HeartbeatFacts {
  readonly number: bigint;
  /** "" = the API server answers. */
  readonly apiServerFault: string;
  readonly apiServerSinceMsAgo: number;
  readonly apiServerError: string;
  readonly apiServerAttemptCount: number;
  readonly apiServerRetryInMs: number;
  /** Changes the agent has not sent yet, and how long the oldest of them has waited. */
  readonly waitingRowCount: number;
  readonly oldestWaitingMs: number;
  /** Messages that the agent sent before it, since Welcome; 0: not said (SE35). */
  readonly messageCount: number;
  /** Undefined where no end is known. */
  readonly credential: CredentialFacts | undefined;
}

/** When an agent's credential for its API server ends, from receipt, and how long it is good for in all; 0: not known (SE46). */
export interface CredentialFacts {
  /** Negative: it ended so long ago. */
  readonly endsInMs: number;
  readonly lifetimeMs: number;
}

/** How an agent follows one kind. */
export type ReportedFollowing = "listing" | "watching" | "polling" | "notInstalled" | "failed" | "unknown";

/** One kind's status. Durations are as of receipt. */
export interface KindFacts {
  /** The text of the resource id. */
  readonly resource: string;
  readonly state: ReportedFollowing;
  readonly version: string;
  readonly sinceMsAgo: number;
  /** Undefined while there was no complete list. */
  readonly currentMsAgo: number | undefined;
  /** Of the newest list that a watch goes on from (SE47); undefined while there was none, and of agents that do not say it. */
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

/** The digest an agent has of one kind; `buckets` in order, only at that level. */
export interface KindDigestFacts {
  readonly resource: string;
  readonly digest: Digest;
  readonly buckets: readonly Digest[];
}

/** How deep a message of digests goes. */
export type DigestDepth = "root" | "kinds" | "buckets";

/** Digests of what was sent up to `seq`. At `root` there is one, without a resource. */
export interface DigestSet {
  readonly seq: number;
  readonly depth: DigestDepth;
  readonly kinds: readonly KindDigestFacts[];
}

/** A message of digests. */
export interface DigestsFacts extends DigestSet {
  /** Rows of RBAC kinds have changed at the agent and are not sent (SE48). */
  readonly grantsWait: boolean;
}

/** What one message up is. `unknown` is of a newer peer and skipped (SE3). */
export type ParsedRequest =
  | { readonly kind: "hello"; readonly hello: HelloFacts }
  | { readonly kind: "proof"; readonly signature: Uint8Array }
  | { readonly kind: "flush"; readonly flush: FlushFacts }
  /** Texts of resource ids (SE56). */
  | { readonly kind: "kindsFollowed"; readonly resources: readonly string[] }
  | { readonly kind: "kindStatuses"; readonly kinds: readonly KindFacts[] }
  | { readonly kind: "digests"; readonly digests: DigestsFacts }
  | { readonly kind: "heartbeat"; readonly heartbeat: HeartbeatFacts }
  | { readonly kind: "tunnelFailures"; readonly failures: readonly TunnelFailure[] }
  | { readonly kind: "goodbye"; readonly reason: string }
  | { readonly kind: "chunk"; readonly part: ChunkPart }
  | { readonly kind: "unknown" }
  | ({ readonly kind: "refused" } & { readonly refusal: Refusal });
