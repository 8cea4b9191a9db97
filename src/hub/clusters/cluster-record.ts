// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { PauseFacts } from "../../health/health-input.ts";
import { type Revision, toRevision } from "../../model/revision.ts";
import type { MetadataFacts, NamespaceFilterFacts } from "../../session/hub/parsed-request.ts";
import type { ValueOf } from "../../store/table.ts";
import type { clusters } from "../../store/tables.ts";

/** Both authenticate sessions. The first use of `next` ends the `active` key (SE8). */
export type KeyState = "active" | "next";

/** A public key that is registered for a cluster. */
export interface ClusterKey {
  /** Raw Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly state: KeyState;
}

/**
 * The origin of a cluster's rows: an agent in the cluster; an agent beside the hub with an imported kubeconfig; or an
 * agent that runs with the hub for a context of the operator's own kubeconfig.
 */
export type ClusterSource = "agent" | "kubeconfig" | "adopted";

/** A registered cluster. */
export interface ClusterRecord {
  readonly id: string;
  /** Reported by the agent. */
  readonly metadata: MetadataFacts;
  /** Set by administrators. They override the agent's labels of the same name. */
  readonly labels: ReadonlyMap<string, string>;
  /** The agent's namespace filter in its newest session. */
  readonly namespaces: NamespaceFilterFacts;
  /** One key, or two during a rotation. Empty: all keys were revoked. */
  readonly keys: readonly ClusterKey[];
  /** The uid of the kube-system namespace. Empty for an imported cluster until its first session reports it (SE7). */
  readonly clusterUid: string;
  /** The actor and wall-clock time of the pause. Undefined unless paused. */
  readonly pause: { readonly by: string; readonly atMs: number } | undefined;
  readonly isApproved: boolean;
  readonly source: ClusterSource;
  readonly createdAtMs: number;
  /** The time at which the rows of the RBAC kinds were first proven equal (L2). Undefined until then. */
  readonly rbacCompleteAtMs: number | undefined;
  /** Since when the rows of the RBAC kinds are known to be behind the other rows (RB85). Undefined if they are not. */
  readonly grantsBehindAtMs: number | undefined;
  readonly revision: Revision;
}

/** The given properties of a new record. */
export type NewClusterRecord = Pick<
  ClusterRecord,
  "id" | "metadata" | "clusterUid" | "isApproved" | "source" | "createdAtMs"
> & { readonly publicKey: Uint8Array; readonly labels?: ClusterRecord["labels"] };

/** The record of a cluster that is registered for the first time, before it has a revision. */
export function createClusterRecord(given: NewClusterRecord): ClusterRecord {
  const { id, metadata, labels = new Map(), publicKey, clusterUid, isApproved, source, createdAtMs } = given;
  return {
    id,
    metadata,
    labels,
    namespaces: { included: [], excluded: [] },
    keys: [{ publicKey, state: "active" }],
    clusterUid,
    pause: undefined,
    isApproved,
    source,
    createdAtMs,
    rbacCompleteAtMs: undefined,
    grantsBehindAtMs: undefined,
    revision: toRevision(0),
  };
}

export type ClusterValue = ValueOf<typeof clusters>;

function parseLabels(text: string): ReadonlyMap<string, string> {
  const labels: unknown = JSON.parse(text);
  assert(Array.isArray(labels), "labels is a JSON list of pairs");
  return new Map(
    labels.map((pair: unknown): [string, string] => {
      assert(Array.isArray(pair) && pair.length === 2, "a label is a pair");
      return [String(pair[0]), String(pair[1])];
    }),
  );
}

function parseNames(text: string): readonly string[] {
  const names: unknown = JSON.parse(text);
  assert(Array.isArray(names), "namespaces are a JSON list");
  return names.map(String);
}

function parseKeys(text: string): readonly ClusterKey[] {
  const keys: unknown = JSON.parse(text);
  assert(Array.isArray(keys), "public_keys is a JSON list");
  return keys.map((stored: unknown): ClusterKey => {
    assert(Array.isArray(stored) && stored.length === 2, "a key is a pair of its bytes and its state");
    return { publicKey: Uint8Array.fromBase64(String(stored[0])), state: stored[1] === "next" ? "next" : "active" };
  });
}

export function toClusterRecord(id: string, revision: Revision, value: ClusterValue): ClusterRecord {
  return {
    id,
    metadata: {
      region: value.region,
      environment: value.environment,
      version: value.version,
      kubernetesVersion: value.kubernetes_version,
      labels: parseLabels(value.labels),
    },
    labels: parseLabels(value.given_labels),
    namespaces: {
      included: parseNames(value.included_namespaces),
      excluded: parseNames(value.excluded_namespaces),
    },
    keys: parseKeys(value.public_keys),
    clusterUid: value.cluster_uid,
    pause:
      value.is_paused === 1
        ? { by: value.paused_by ?? "", atMs: value.paused_at_ms ?? value.created_at_ms }
        : undefined,
    isApproved: value.is_approved === 1,
    source: value.source === "kubeconfig" || value.source === "adopted" ? value.source : "agent",
    createdAtMs: value.created_at_ms,
    rbacCompleteAtMs: value.rbac_complete_at_ms ?? undefined,
    grantsBehindAtMs: value.grants_behind_at_ms ?? undefined,
    revision,
  };
}

export function toClusterValue(record: Omit<ClusterRecord, "id" | "revision">): ClusterValue {
  const { metadata } = record;
  return {
    region: metadata.region,
    environment: metadata.environment,
    version: metadata.version,
    kubernetes_version: metadata.kubernetesVersion,
    labels: JSON.stringify([...metadata.labels]),
    given_labels: JSON.stringify([...record.labels]),
    included_namespaces: JSON.stringify(record.namespaces.included),
    excluded_namespaces: JSON.stringify(record.namespaces.excluded),
    public_keys: JSON.stringify(record.keys.map(({ publicKey, state }) => [publicKey.toBase64(), state])),
    cluster_uid: record.clusterUid,
    is_paused: record.pause === undefined ? 0 : 1,
    paused_by: record.pause?.by ?? null,
    paused_at_ms: record.pause?.atMs ?? null,
    is_approved: record.isApproved ? 1 : 0,
    source: record.source,
    created_at_ms: record.createdAtMs,
    rbac_complete_at_ms: record.rbacCompleteAtMs ?? null,
    grants_behind_at_ms: record.grantsBehindAtMs ?? null,
  };
}

/** The record's pause as an input of the connection machine (HE16). */
export function toPauseFacts({ pause }: ClusterRecord, wallMs: number): PauseFacts | undefined {
  return pause === undefined ? undefined : { by: pause.by, pausedMsAgo: Math.max(0, wallMs - pause.atMs) };
}

/** Compares the bytes only, not the state of the keys. */
export function isSameKeyBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
