// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { GrantedApplication } from "../../index/access/application-objects.ts";
import type { IdentityMapping } from "../../index/access/identity-mapping.ts";
import type { DigestedFacts, FoldPlace } from "../../index/fold/fold-part.ts";
import { PackedChanges } from "../../index/fold/packed-changes.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import { type Digest, emptyDigest } from "../../model/rows/digest.ts";
import type { LoadOutcome, OpenCheckpoint, PrepareOutcome, SentPart, StoredSegment } from "../index/index-messages.ts";
import type { IndexPort } from "../index/index-port.ts";
import type { KindPosition } from "./fleet-reader.ts";

/** The newest flush folded into a cluster's rows, as numbered in the fleet log. */
export interface AppliedFlush {
  readonly incarnation: string;
  readonly seq: number;
}

interface ClusterFacts {
  readonly kinds: Map<string, DigestedFacts>;
  applied: AppliedFlush | undefined;
  isRbacComplete: boolean;
}

/**
 * The fleet's rows as ingest, sessions and checkpoints use them. The rows themselves are in the index; this side keeps
 * the numbers of each kind, so that sessions compare digests without a message. It has no subject: nothing read here is
 * shown to users.
 */
export class FleetRows {
  readonly #index: IndexPort;
  readonly #log: Logger;
  readonly #clusters = new Map<string, ClusterFacts>();

  constructor(index: IndexPort, log: Logger) {
    this.#index = index;
    this.#log = log;
  }

  /** Decodes and checks a flush and prepares its fold. `commit` or `discard` must follow. */
  prepare(cluster: string, parts: readonly SentPart[]): Promise<PrepareOutcome> {
    return this.#index.prepare(cluster, parts);
  }

  /** Makes the prepared flush visible in one step. Returns the changes. */
  async commit(cluster: string, place: FoldPlace, applied: AppliedFlush): Promise<PackedChanges> {
    const { changes, kinds } = await this.#index.commit(cluster, place);
    this.#note(cluster, kinds);
    this.setApplied(cluster, applied);
    return new PackedChanges(changes);
  }

  /** Drops the prepared flush of a cluster, if there is one. */
  discard(cluster: string): Promise<void> {
    return this.#index.discard(cluster);
  }

  /** Makes a flush that another hub appended visible, in one step. A segment that cannot be read is logged. */
  async applyStored(cluster: string, segments: readonly StoredSegment[], place: FoldPlace): Promise<PackedChanges> {
    const { changes, kinds, unreadable } = await this.#index.applyStored(cluster, segments, place);
    this.#note(cluster, kinds);
    for (const { resource, detail } of unreadable)
      this.#log.error("a segment of the fleet log cannot be read", {
        cluster,
        resource,
        position: place.position,
        reason: detail,
      });
    return new PackedChanges(changes);
  }

  /** Folds a stored segment without reporting changes. */
  async load(cluster: string, segment: StoredSegment): Promise<LoadOutcome> {
    const outcome = await this.#index.load(cluster, segment);
    if (outcome.kind === "loaded") this.#note(cluster, [outcome.facts]);
    return outcome;
  }

  /** The flush folded last; undefined before the first. */
  applied(cluster: string): AppliedFlush | undefined {
    return this.#clusters.get(cluster)?.applied;
  }

  setApplied(cluster: string, applied: AppliedFlush): void {
    this.#open(cluster).applied = applied;
  }

  kindDigest(cluster: string, resource: string): Digest {
    return this.#clusters.get(cluster)?.kinds.get(resource)?.digest ?? emptyDigest;
  }

  /** The digests of the session's buckets, in order (SE24). */
  bucketDigests(cluster: string, resource: string): Promise<readonly Digest[]> {
    return this.#index.bucketDigests(cluster, resource);
  }

  rowCount(cluster: string): number {
    let count = 0;
    for (const { rowCount } of this.#clusters.get(cluster)?.kinds.values() ?? []) count += rowCount;
    return count;
  }

  kinds(cluster: string): readonly KindPosition[] {
    return [...(this.#clusters.get(cluster)?.kinds.values() ?? [])];
  }

  clusters(): readonly string[] {
    return [...this.#clusters.keys()];
  }

  /** Whether the cluster's RBAC rows were ever complete. The reader shows none of its rows before (L2). */
  isRbacComplete(cluster: string): boolean {
    return this.#clusters.get(cluster)?.isRbacComplete ?? false;
  }

  /** Takes effect for every read that begins later. */
  setRbacComplete(cluster: string, isComplete: boolean): void {
    if (!isComplete && !this.#clusters.has(cluster)) return;
    this.#open(cluster).isRbacComplete = isComplete;
    this.#send(cluster, "shown rows", this.#index.setRbacComplete(cluster, isComplete));
  }

  /** What queries know of a registered cluster besides its rows; undefined after its removal. */
  setFields(cluster: string, fields: ClusterFields | undefined): void {
    this.#send(cluster, "fields", this.#index.setFields(cluster, fields));
  }

  /** Sets who the hub's users are in a cluster; undefined for the default. */
  setIdentity(cluster: string, mapping: IdentityMapping | undefined): void {
    this.#send(cluster, "identities", this.#index.setIdentity(cluster, mapping));
  }

  /** Sets the group whose members see every row of an adopted cluster; undefined for none. */
  setOwnerGroup(cluster: string, group: string | undefined): void {
    this.#send(cluster, "owners", this.#index.setOwnerGroup(cluster, group));
  }

  /** Withholds the rows of a cluster from users, or shows them again. */
  setWithheld(cluster: string, isWithheld: boolean): void {
    this.#send(cluster, "withheld rows", this.#index.setWithheld(cluster, isWithheld));
  }

  /** Sets all applications, which show objects beside the clusters' own RBAC (AG3). */
  setApplications(applications: readonly GrantedApplication[]): void {
    this.#send("", "applications", this.#index.setApplications(applications));
  }

  /** Removes the rows of a cluster that was removed, or that is about to be reloaded. */
  removeCluster(cluster: string): Promise<void> {
    this.#clusters.delete(cluster);
    return this.#index.removeCluster(cluster);
  }

  /** Undefined for an unknown cluster or kind. */
  openCheckpoint(cluster: string, resource: string): Promise<OpenCheckpoint | undefined> {
    return this.#index.openCheckpoint(cluster, resource);
  }

  /** The next piece, compressed; undefined after the last one. */
  readCheckpoint(id: number): Promise<Uint8Array | undefined> {
    return this.#index.readCheckpoint(id);
  }

  closeCheckpoint(id: number): Promise<void> {
    return this.#index.closeCheckpoint(id);
  }

  /** The index takes every setting unless its thread has ended. */
  #send(cluster: string, setting: string, sending: Promise<void>): void {
    sending.catch((reason: unknown) => {
      this.#log.error("the index did not take a setting of a cluster", { cluster, setting }, reason);
    });
  }

  #open(cluster: string): ClusterFacts {
    const facts = this.#clusters.get(cluster) ?? { kinds: new Map(), applied: undefined, isRbacComplete: false };
    this.#clusters.set(cluster, facts);
    return facts;
  }

  #note(cluster: string, kinds: readonly DigestedFacts[]): void {
    const facts = this.#open(cluster);
    for (const kind of kinds) facts.kinds.set(kind.resource, kind);
  }
}
