// SPDX-License-Identifier: Apache-2.0
import { hash } from "node:crypto";
import { applicationObjects, type GrantedApplication } from "../../index/access/application-objects.ts";
import { ClusterGrants } from "../../index/access/cluster-grants.ts";
import { GrantsCache } from "../../index/access/grants-cache.ts";
import { createSubjectMapper, type IdentityMapping } from "../../index/access/identity-mapping.ts";
import type { SubjectGrants, VisibilityUse } from "../../index/access/subject-grants.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import { isRbacResource, rbacResources } from "../../model/rbac-resources.ts";
import type { Subject } from "../../model/subject.ts";
import { noneVisible, type Visibility } from "../../rbac/visibility.ts";
import type { RowChange } from "../rows/fleet-reader.ts";
import type { Viewer } from "./row-viewer.ts";

/** The user of a cluster that a user of the hub is there. */
export type SubjectMapper = (subject: Subject) => Subject;

interface HeldGrants {
  grants: ClusterGrants;
  /** RBAC rows were loaded that `grants` does not have yet. */
  isOutdated: boolean;
  mapper: SubjectMapper;
}

export interface FleetAccessOptions {
  readonly tables: FleetTables;
  /** For clusters without a mapping of their own. */
  readonly defaultMapper: SubjectMapper;
}

/** Subjects that are recognised again: most that use the hub within minutes of each other. */
const maxSubjectCount = 10_000;

/** Digits of a mark: 128 bits. */
const markDigits = 32;

const allVisible: Visibility = { kind: "all" };

/**
 * What each viewer may see of each cluster (L17). It follows the rows of the RBAC kinds: a committed flush takes effect
 * here in the step in which its rows become visible (L2).
 */
export class FleetAccess {
  readonly #tables: FleetTables;
  readonly #defaultMapper: SubjectMapper;
  readonly #cache = new GrantsCache();
  readonly #clusters = new Map<string, HeldGrants>();
  /** One object per identity, so that what was found for it is found again. */
  readonly #subjects = new Map<string, Subject>();
  /** The identities of subjects that were given, as texts. A live view asks for the same subject thousands of times. */
  readonly #identities = new WeakMap<Subject, string>();
  readonly #withheld = new Set<string>();
  readonly #ownerGroups = new Map<string, string>();
  /** The marks of grants that were asked for. */
  readonly #marks = new WeakMap<SubjectGrants, string>();
  #applications: readonly GrantedApplication[] = [];
  #version = 0;
  /** By cluster, the version of the last change. */
  readonly #changedAt = new Map<string, number>();

  constructor({ tables, defaultMapper }: FleetAccessOptions) {
    this.#tables = tables;
    this.#defaultMapper = defaultMapper;
  }

  /** Sets who the hub's users are in a cluster; undefined for the default. */
  setIdentity(cluster: string, mapping: IdentityMapping | undefined): void {
    if (mapping === undefined && !this.#clusters.has(cluster)) return;
    this.#open(cluster).mapper = mapping === undefined ? this.#defaultMapper : createSubjectMapper(mapping);
    this.#noteChange(cluster);
  }

  /** Applies the changes of a committed flush. */
  noteChanges(cluster: string, changes: Iterable<RowChange>): void {
    const { grants } = this.#open(cluster);
    const before = grants.version;
    for (const { resource, namespace, name } of changes) {
      const row = this.#tables.getRow(cluster, resource, { namespace, name });
      if (row === undefined) grants.remove(resource, namespace, name);
      else grants.upsert(resource, row);
    }
    if (grants.version !== before) this.#noteChange(cluster);
  }

  /** Rows of a resource were loaded without reporting changes. They are read when the cluster is next looked at. */
  noteLoaded(cluster: string, resource: string): void {
    if (!isRbacResource(resource)) return;
    this.#open(cluster).isOutdated = true;
    this.#noteChange(cluster);
  }

  /** Removes the grants of a cluster. Its mapping stays, for the cluster may only be reloaded. */
  removeCluster(cluster: string): void {
    const held = this.#clusters.get(cluster);
    if (held === undefined) return;
    held.grants.close();
    held.grants = this.#createGrants(cluster);
    held.isOutdated = false;
    this.#noteChange(cluster);
  }

  /** Sets all applications. Each cluster takes up what they add to its RBAC objects (AG3). */
  setApplications(applications: readonly GrantedApplication[]): void {
    this.#applications = applications;
    for (const [cluster, { grants }] of this.#clusters) {
      const before = grants.version;
      grants.setAdded(applicationObjects(applications, cluster));
      if (grants.version !== before) this.#noteChange(cluster);
    }
  }

  /**
   * Members of this group see every row of the cluster: its agent reads with the credential of the person who started
   * the hub, so its rows are what that person may list. Undefined for none.
   */
  setOwnerGroup(cluster: string, group: string | undefined): void {
    if (this.#ownerGroups.get(cluster) === group) return;
    if (group === undefined) this.#ownerGroups.delete(cluster);
    else this.#ownerGroups.set(cluster, group);
    this.#noteChange(cluster);
  }

  /** Withholds the rows of a cluster from users, or shows them again. */
  setWithheld(cluster: string, isWithheld: boolean): void {
    if (isWithheld) this.#withheld.add(cluster);
    else this.#withheld.delete(cluster);
    this.#noteChange(cluster);
  }

  /** Whether rows of the cluster are shown to users by what the hub knows of its grants. */
  isShown(cluster: string): boolean {
    return this.#tables.isRbacComplete(cluster) && !this.#withheld.has(cluster);
  }

  /** What the viewer may see of a resource: nothing before the cluster's RBAC rows are complete (L2). */
  visibilityOf(viewer: Viewer, cluster: string, resource: string, use: VisibilityUse = "list"): Visibility {
    if (!this.isShown(cluster) && (viewer.kind === "user" || !this.#tables.isRbacComplete(cluster))) return noneVisible;
    if (viewer.kind === "hub" || this.#isOwner(cluster, viewer.subject)) return allVisible;
    return this.grantsOf(cluster, viewer.subject).visibilityOf(resource, use);
  }

  /** As `visibilityOf`, for a viewer who reads the resources of one cluster after the other. */
  createReader(viewer: Viewer, use?: VisibilityUse): (cluster: string, resource: string) => Visibility {
    let known: { readonly cluster: string; readonly version: number; readonly grants: SubjectGrants } | undefined;
    return (cluster, resource) => {
      const isShown = this.isShown(cluster);
      if (isShown && known?.cluster === cluster && known.version === this.#version)
        return known.grants.visibilityOf(resource, use);
      known = undefined;
      if (viewer.kind === "hub" || !isShown || this.#isOwner(cluster, viewer.subject))
        return this.visibilityOf(viewer, cluster, resource, use);
      known = { cluster, version: this.#version, grants: this.grantsOf(cluster, viewer.subject) };
      return known.grants.visibilityOf(resource, use);
    };
  }

  /** Another number each time that what some subject sees may have changed. */
  get version(): number {
    return this.#version;
  }

  /** The clusters in which what some subject sees may have changed after a version. */
  changedSince(version: number): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const [cluster, changedAt] of this.#changedAt) if (changedAt > version) changed.add(cluster);
    return changed;
  }

  /** By cluster, a key that is equal for subjects who see the same objects of it. */
  accessKeysOf(given: Subject): ReadonlyMap<string, string> {
    const subject = this.#intern(given);
    const keys = new Map<string, string>();
    for (const cluster of this.#tables.clusters())
      keys.set(cluster, this.accessKeyOf({ kind: "user", subject }, cluster));
    return keys;
  }

  /** A key that is equal for viewers who see the same objects of a cluster, and another one after that changed. */
  accessKeyOf(viewer: Viewer, cluster: string): string {
    if (viewer.kind === "hub") return this.#tables.isRbacComplete(cluster) ? "hub" : "hidden";
    if (!this.isShown(cluster)) return "hidden";
    return this.#isOwner(cluster, viewer.subject) ? "owner" : `g${this.grantsOf(cluster, viewer.subject).key}`;
  }

  /**
   * As `accessKeyOf`, but equal also at two moments and in two processes if the grants are equal; undefined for a cluster
   * that is not shown. Costs a text of all grants, once for each.
   */
  accessMarkOf(subject: Subject, cluster: string): string | undefined {
    if (!this.isShown(cluster)) return undefined;
    if (this.#isOwner(cluster, subject)) return "owner";
    const grants = this.grantsOf(cluster, subject);
    const mark = this.#marks.get(grants) ?? hash("sha256", grants.text, "hex").slice(0, markDigits);
    this.#marks.set(grants, mark);
    return mark;
  }

  /** The rows of a cluster are shown from now on, or hidden. Loaded RBAC rows are read now, not by the next reader. */
  noteShown(cluster: string, isShown: boolean): void {
    this.#noteChange(cluster);
    if (isShown) this.#read(cluster);
  }

  /** The present grants of a user of the hub in a cluster. Take them anew after a change. */
  grantsOf(cluster: string, subject: Subject): SubjectGrants {
    const held = this.#read(cluster);
    return held.grants.grantsOf(held.mapper(this.#intern(subject)));
  }

  /** Users of the hub whose access was looked at lately. */
  recentSubjects(): readonly Subject[] {
    return [...this.#subjects.values()];
  }

  /** The RBAC objects of a cluster. Borrowed until the next change. */
  clusterGrants(cluster: string): ClusterGrants {
    return this.#read(cluster).grants;
  }

  /** Who a user of the hub is in a cluster. */
  clusterSubject(cluster: string, subject: Subject): Subject {
    return this.#open(cluster).mapper(this.#intern(subject));
  }

  /** The grants of a cluster, as of the newest RBAC rows. */
  #read(cluster: string): HeldGrants {
    const held = this.#open(cluster);
    if (!held.isOutdated) return held;
    // Loaded rows report no changes: what is no longer there is found by building the grants anew.
    held.grants.close();
    held.grants = this.#createGrants(cluster);
    held.isOutdated = false;
    for (const resource of rbacResources)
      for (const row of this.#tables.snapshot(cluster, resource)?.rows() ?? []) held.grants.upsert(resource, row);
    return held;
  }

  #createGrants(cluster: string): ClusterGrants {
    const grants = new ClusterGrants({ cluster, cache: this.#cache });
    grants.setAdded(applicationObjects(this.#applications, cluster));
    return grants;
  }

  #open(cluster: string): HeldGrants {
    const held = this.#clusters.get(cluster) ?? {
      grants: this.#createGrants(cluster),
      isOutdated: false,
      mapper: this.#defaultMapper,
    };
    this.#clusters.set(cluster, held);
    return held;
  }

  #noteChange(cluster: string): void {
    this.#version += 1;
    this.#changedAt.set(cluster, this.#version);
  }

  #isOwner(cluster: string, { groups }: Subject): boolean {
    const group = this.#ownerGroups.get(cluster);
    return group !== undefined && groups.includes(group);
  }

  #intern(subject: Subject): Subject {
    const key = this.#identities.get(subject) ?? JSON.stringify([subject.user, subject.groups]);
    this.#identities.set(subject, key);
    const known = this.#subjects.get(key) ?? subject;
    this.#subjects.delete(key);
    this.#subjects.set(key, known);
    const [oldest] = this.#subjects.keys();
    if (this.#subjects.size > maxSubjectCount && oldest !== undefined) this.#subjects.delete(oldest);
    return known;
  }
}
