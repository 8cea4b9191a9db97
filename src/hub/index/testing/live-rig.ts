// SPDX-License-Identifier: Apache-2.0
// The engine of live views over tables and grants of a test, and readers that show what they get.
import { createHmac } from "node:crypto";
import { ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import { resourceOf, rowOfObject } from "../../../index/access/testing/rbac-sample-rows.ts";
import { ShownPage } from "../../../index/live/testing/shown-page.ts";
import { createCursorCodec } from "../../../index/query/cursor-codec.ts";
import type { QueryKey } from "../../../index/query/query-request.ts";
import { PlainFleet, type TestHasher } from "../../../index/query/testing/plain-fleet.ts";
import type { ClusterFields } from "../../../index/scan/row-filter.ts";
import { type ColumnSpec, type RowContent, toResourceVersion } from "../../../model/rows/row.ts";
import type { Subject } from "../../../model/subject.ts";
import type { RbacObject } from "../../../rbac/rbac-types.ts";
import { isVisible } from "../../../rbac/visibility.ts";
import {
  type FleetQueryAnswer,
  type FoundFleetRow,
  type LiveQuery,
  type LiveQueryUpdate,
  plainQuery,
} from "../../rows/fleet-queries.ts";
import type { RowChange } from "../../rows/fleet-reader.ts";
import { FleetAccess } from "../fleet-access.ts";
import { FleetCatalogs } from "../fleet-catalog.ts";
import { LiveEngine, type LiveEngineOptions } from "../live-engine.ts";
import { QueryRuns, type QueryViewer } from "../query-runs.ts";

const rbacColumns: readonly ColumnSpec[] = [
  { name: "rules", type: "stringList" },
  { name: "subjects", type: "stringList" },
  { name: "roleGroup", type: "string" },
  { name: "roleKind", type: "string" },
  { name: "roleName", type: "string" },
];

const columnsOf = (resource: string): readonly ColumnSpec[] => (resource.startsWith("rbac.") ? rbacColumns : []);

export const hmac = (key: Uint8Array, message: Uint8Array): Uint8Array =>
  createHmac("sha256", key).update(message).digest();

/** An object as a row. */
export function contentOf(name: string, fields: Partial<RowContent> = {}): RowContent {
  return {
    namespace: "a",
    name,
    uid: "",
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 0,
    status: "healthy",
    reason: "",
    message: "",
    labels: new Map(),
    annotations: new Map(),
    columns: new Map(),
    ...fields,
  };
}

/** May list and watch these resources. */
export function viewerRole(name: string, resources: readonly string[], verbs = ["get", "list", "watch"]): RbacObject {
  const rule = { verbs, apiGroups: ["*"], resources, resourceNames: [], nonResourceURLs: [] };
  return { kind: "ClusterRole", namespace: "", name, rules: [rule] };
}

/** Binds a ClusterRole to a user or a group, in a namespace or, for "", everywhere. */
export function bindingTo(kind: "User" | "Group", subject: string, role: string, namespace = ""): RbacObject {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role };
  const named = { name: `${subject}-${role}`, subjects: [{ kind, name: subject, namespace: "" }], roleRef };
  return namespace === ""
    ? { kind: "ClusterRoleBinding", namespace: "", ...named }
    : { kind: "RoleBinding", namespace, ...named };
}

const objectOf = ({ cluster, resource, row }: FoundFleetRow): QueryKey => ({
  cluster,
  resource,
  namespace: row.namespace,
  name: row.name,
});

/** What a reader shows, in a form that can be compared. */
export interface ShownAnswer {
  readonly rows: readonly string[];
  readonly total: number;
  readonly facets: FleetQueryAnswer["facets"];
  readonly clusters: readonly string[];
}

const rowText = ({ cluster, resource, row }: FoundFleetRow): string =>
  `${cluster} ${resource} ${row.namespace}/${row.name} ${row.rowHash}`;

/** A client of one view. */
export class RigReader {
  readonly #rig: LiveRig;
  readonly by: QueryViewer;
  readonly query: LiveQuery;
  id: number;
  position = "";
  readonly #page = new ShownPage<FoundFleetRow>(objectOf);
  #last: LiveQueryUpdate | undefined;
  updates: LiveQueryUpdate[] = [];
  #call: Promise<void> | undefined;

  constructor(rig: LiveRig, by: QueryViewer, query: LiveQuery) {
    this.#rig = rig;
    this.by = by;
    this.query = query;
    this.id = rig.engine.open(by, query).id;
  }

  /** Calls once, in the background, and applies what is answered. */
  poll(): Promise<void> {
    this.#call ??= this.#rig.engine.next(this.id).then((update) => {
      this.#call = undefined;
      if (update !== undefined) this.#apply(update);
    });
    return this.#call;
  }

  /** Reads until nothing more comes. */
  async catchUp(): Promise<void> {
    for (let before = -1; before !== this.updates.length; ) {
      before = this.updates.length;
      const call = this.poll();
      await this.#rig.clock.advance(1_000);
      await settle();
      if (before !== this.updates.length) await call;
    }
  }

  /** Leaves, as a lost connection does, and comes back with the position. */
  reopen(position = this.position): void {
    this.#rig.engine.close(this.id);
    this.#call = undefined;
    this.id = this.#rig.engine.open(this.by, { ...this.query, position }).id;
  }

  shown(): ShownAnswer {
    const { total = 0, facets = [], clusters = [] } = this.#last ?? {};
    return { rows: this.#page.rows.map(rowText), total, facets, clusters };
  }

  #apply(update: LiveQueryUpdate): void {
    for (const found of update.rows) this.#rig.assertVisible(this.by, found);
    this.#page.apply(update);
    this.#last = update;
    this.position = update.position;
    this.updates.push(update);
  }
}

/** Clusters with rows and RBAC objects, and the engine of live views over them. */
export class LiveRig {
  readonly clock = new ManualClock();
  readonly #plain: PlainFleet;
  readonly access: FleetAccess;
  readonly #fields = new Map<string, ClusterFields>();
  readonly #runs: QueryRuns;
  readonly engine: LiveEngine;
  /** Resolves pauses. Replaced by tests that change rows between slices. */
  pause: () => Promise<void> = () => Promise.resolve();
  #queryId = 0;

  constructor(hasher: TestHasher, options: Partial<Pick<LiveEngineOptions, "budget" | "sizes" | "mac">> = {}) {
    const { clock } = this;
    this.#plain = new PlainFleet(hasher, columnsOf);
    const { tables } = this.#plain;
    this.access = new FleetAccess({ tables, defaultMapper: (subject) => subject });
    const shared = {
      tables,
      access: this.access,
      clusterFields: this.#fields,
      nowMs: () => clock.nowMs(),
      wallMs: () => clock.wallMs(),
      pause: () => this.pause(),
    };
    const key = new Uint8Array(32);
    this.#runs = new QueryRuns({
      ...shared,
      catalogs: new FleetCatalogs(tables, this.access),
      cursors: createCursorCodec(key, hmac),
    });
    this.engine = new LiveEngine({
      ...shared,
      mac: hmac,
      ...options,
      read: (text, by) => this.#runs.read(text, by),
      clock,
      positionKey: key,
    });
  }

  register(cluster: string, region = ""): void {
    const fields = { cluster, region, environment: "" };
    this.#fields.set(cluster, fields);
    this.#plain.tables.setFields(cluster, fields);
    this.#plain.tables.setRbacComplete(cluster, true);
    this.access.noteShown(cluster, true);
    this.engine.noteFields();
  }

  /** Rows and deletes of one kind, in one step. */
  fold(cluster: string, resource: string, brought: readonly RowContent[], deleted: readonly RowContent[] = []): void {
    const fields = this.#fields.get(cluster) ?? { cluster, region: "", environment: "" };
    this.#plain.flush({ fields, resource }, brought, deleted, this.clock.wallMs());
    this.engine.noteChange();
  }

  /** RBAC objects that are applied, and some that are removed, in one step. */
  grant(cluster: string, applied: readonly RbacObject[], removed: readonly RbacObject[] = []): void {
    const fields = this.#fields.get(cluster) ?? { cluster, region: "", environment: "" };
    const toContent = (object: RbacObject): RowContent => {
      const { namespace, name, columns } = rowOfObject(object);
      return contentOf(name, { namespace, columns });
    };
    const changes: RowChange[] = [];
    for (const [objects, isApplied] of [[applied, true] as const, [removed, false] as const])
      for (const object of objects) {
        const resource = resourceOf(object);
        const content = toContent(object);
        this.#plain.flush({ fields, resource }, isApplied ? [content] : [], isApplied ? [] : [content]);
        changes.push({ kind: "changed", resource, namespace: object.namespace, name: object.name, uid: "" });
      }
    this.access.noteChanges(cluster, changes);
    this.engine.noteChange();
  }

  remove(cluster: string): void {
    this.#plain.tables.removeCluster(cluster);
    this.access.removeCluster(cluster);
    this.engine.noteChange();
  }

  open(subject: Subject, query: Partial<LiveQuery> = {}, clusters?: ReadonlySet<string>): RigReader {
    const full = { text: "", limit: 5, sort: [], facets: [], position: "", ...query };
    return new RigReader(this, { viewer: { kind: "user", subject }, clusters }, full);
  }

  /** What the query of a reader answers at this moment. */
  async ask({ by, query }: RigReader): Promise<ShownAnswer> {
    this.#queryId += 1;
    const { text, limit, sort, facets } = query;
    const asked = { ...plainQuery, text, limit, sort, facets };
    const {
      rows,
      total,
      facets: counted,
      clusters,
    } = await this.#runs.run(this.#queryId, { ...by, use: "live" }, asked);
    return { rows: rows.map(rowText), total, facets: counted, clusters };
  }

  /** Throws if the user may not see the row now. */
  assertVisible({ viewer, clusters }: QueryViewer, { cluster, resource, row }: FoundFleetRow): void {
    const visibility = this.access.visibilityOf(viewer, cluster, resource, "live");
    if (clusters?.has(cluster) === false || !isVisible(visibility, row.namespace, row.name))
      throw new Error(`${row.namespace}/${row.name} of ${cluster} is forbidden at this moment`);
  }
}
