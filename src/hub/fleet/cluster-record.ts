// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { PauseFacts } from "../../health/health-input.ts";
import type { Revision } from "../../model/revision.ts";
import type { MetadataFacts, NamespaceFilterFacts } from "../../session/hub/parsed-request.ts";
import type { ValueOf } from "../../store/table.ts";
import type { clusters } from "../../store/tables.ts";

/** `active` proves sessions; `next` does too, and its first use ends the other (SE8). */
export type KeyState = "active" | "next";

/** A public key that is registered for a cluster. */
export interface ClusterKey {
  /** Raw Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly state: KeyState;
}

/**
 * How rows of a cluster come: from an agent in it, from one beside the hub that was given a kubeconfig, or from one that runs with the hub for a context of
 * its operator's own kubeconfig.
 */
export type ClusterSource = "agent" | "kubeconfig" | "adopted";

/** A registered cluster. */
export interface ClusterRecord {
  readonly id: string;
  /** What its agent says of it. */
  readonly metadata: MetadataFacts;
  /** What administrators add; where both have a label, this one counts. */
  readonly labels: ReadonlyMap<string, string>;
  /** What its agent is limited to, as of its newest session. */
  readonly namespaces: NamespaceFilterFacts;
  /** One, or two while a key is being replaced. Empty: all were revoked. */
  readonly keys: readonly ClusterKey[];
  /** Uid of its kube-system namespace; "" for an imported cluster that has not answered yet, whose first session tells it (SE7). */
  readonly clusterUid: string;
  /** Who paused it, and when by the wall clock; undefined while it is not paused. */
  readonly pause: { readonly by: string; readonly atMs: number } | undefined;
  readonly isApproved: boolean;
  readonly source: ClusterSource;
  readonly createdAtMs: number;
  /** Undefined until the rows of the RBAC kinds were first proven equal (L2). */
  readonly rbacCompleteAtMs: number | undefined;
  readonly revision: Revision;
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
  };
}

/** The pause of a record as the connection machine takes it (HE16). */
export function toPauseFacts({ pause }: ClusterRecord, wallMs: number): PauseFacts | undefined {
  return pause === undefined ? undefined : { by: pause.by, pausedMsAgo: Math.max(0, wallMs - pause.atMs) };
}

/** True for the same key, whatever its state. */
export function isSameKeyBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
