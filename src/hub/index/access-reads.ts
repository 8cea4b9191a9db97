// SPDX-License-Identifier: Apache-2.0
// Answers about access: rules of a user, why an object is visible, who sees it, what a change would do.
import { FlotillaError } from "../../base/error.ts";
import { type AccessRuleRow, type ListedKind, listAccessRules } from "../../index/access/access-rule-rows.ts";
import { whatIf } from "../../index/access/access-what-if.ts";
import type { ClusterGrants } from "../../index/access/cluster-grants.ts";
import { explainObject, type ObjectExplanation } from "../../index/access/explain-object.ts";
import { type ObjectViewers, whoCanSee } from "../../index/access/who-can-see.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import { createSubject, type Subject } from "../../model/subject.ts";
import { compareUtf8 } from "../../model/text.ts";
import { createClusterAuthorizer } from "../../rbac/authorizer-chain.ts";
import { parseRbacObject } from "../../rbac/rbac-parse.ts";
import type { RbacObject } from "../../rbac/rbac-types.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import type { AccessPreview, AskedUser, QueriedObject } from "../rows/fleet-queries.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { Viewer } from "./row-viewer.ts";
import { selectVisible } from "./select-visible.ts";

/** Keys that a preview names for each change. */
const sampleCount = 5;

/** Changes of one preview. */
const maxPreviewChanges = 500;

/** Who is judged, in a cluster whose rows are shown. */
interface Judged {
  readonly grants: ClusterGrants;
  readonly subject: Subject;
}

/** Reads of access, each as a viewer. A viewer learns of others only what its rights in the cluster allow it to ask. */
export class AccessReads {
  readonly #tables: FleetTables;
  readonly #access: FleetAccess;

  constructor(tables: FleetTables, access: FleetAccess) {
    this.#tables = tables;
    this.#access = access;
  }

  /** The rules of a user in these clusters; of the viewer if no user is given. */
  listRules(viewer: Viewer, asked: AskedUser | undefined, clusters: readonly string[]): readonly AccessRuleRow[] {
    return clusters.flatMap((cluster) => {
      if (!this.#access.isShown(cluster)) return [];
      const { grants, subject } = this.#judge(viewer, asked, cluster);
      return listAccessRules(grants, subject, this.#kindsOf(cluster)).rows;
    });
  }

  /** Why a user sees an object or not. It does not depend on whether the object exists. */
  explain(
    viewer: Viewer,
    asked: AskedUser | undefined,
    { cluster, resource, namespace, name }: QueriedObject,
  ): ObjectExplanation {
    const { grants, subject } = this.#judge(viewer, asked, cluster);
    return explainObject(grants, subject, { resource, namespace, name });
  }

  listViewers(viewer: Viewer, { cluster, resource, namespace, name }: QueriedObject): ObjectViewers {
    this.#assertSeesBindings(viewer, cluster);
    return whoCanSee(this.#access.clusterGrants(cluster), { resource, namespace, name });
  }

  /**
   * The rows that would appear or disappear for users if these objects were applied, among those that the viewer sees
   * (RB76). `objects` are JSON texts.
   */
  preview(viewer: Viewer, cluster: string, objects: readonly string[]): AccessPreview {
    this.#assertSeesBindings(viewer, cluster);
    const parsed = objects.map(parseObject);
    const { changes, leftOutCount } = whatIf(this.#access.clusterGrants(cluster), parsed, this.#kindsOf(cluster));
    const tables = this.#tables.get(cluster)?.tables;
    const counted = changes.slice(0, maxPreviewChanges).map(({ holder, resource, before, after }) => {
      const table = tables?.get(resource);
      const shown = this.#access.visibilityOf(viewer, cluster, resource);
      const old = selectBoth(table, before, shown);
      const next = selectBoth(table, after, shown);
      return {
        holder,
        resource,
        kind: table?.kind ?? "",
        visibleBefore: old.size,
        visibleAfter: next.size,
        samples: sampleKeys(cluster, resource, table, next.symmetricDifference(old)),
      };
    });
    return { changes: counted, leftOutCount: leftOutCount + Math.max(0, changes.length - maxPreviewChanges) };
  }

  /** Kinds that the cluster has rows of, by name. */
  #kindsOf(cluster: string): readonly ListedKind[] {
    return Array.from(this.#tables.get(cluster)?.tables ?? [], ([resource, table]) => ({
      resource,
      kind: table.kind === "" ? resource : table.kind,
      ...isNamespacedOf(table),
    })).sort((a, b) => compareUtf8(a.kind, b.kind) || compareUtf8(a.resource, b.resource));
  }

  /** To ask about others, the cluster must allow the viewer to review their access. */
  #judge(viewer: Viewer, asked: AskedUser | undefined, cluster: string): Judged {
    const grants = this.#access.clusterGrants(cluster);
    if (asked === undefined) {
      if (viewer.kind === "hub")
        throw new FlotillaError("INVALID_ARGUMENT", "the hub itself has no rules; name a user");
      return { grants, subject: this.#access.clusterSubject(cluster, viewer.subject) };
    }
    this.#assertMayCreateReviews(viewer, cluster);
    return { grants, subject: createSubject({ user: asked.name, groups: asked.groups }) };
  }

  #assertMayCreateReviews(viewer: Viewer, cluster: string): void {
    if (viewer.kind === "hub") return;
    const attributes = {
      kind: "resource",
      verb: "create",
      apiGroup: "authorization.k8s.io",
      resource: "subjectaccessreviews",
      subresource: "",
      namespace: "",
      name: "",
    } as const;
    const authorize = createClusterAuthorizer(this.#access.clusterGrants(cluster).policy);
    if (authorize(this.#access.clusterSubject(cluster, viewer.subject), attributes).decision === "allow") return;
    throw new FlotillaError(
      "PERMISSION_DENIED",
      `to ask about other users in ${cluster} you need the right to create subjectaccessreviews.authorization.k8s.io there`,
    );
  }

  #assertSeesBindings(viewer: Viewer, cluster: string): void {
    const isWhole = ["rolebindings", "clusterrolebindings", "roles", "clusterroles"].every(
      (resource) => this.#access.visibilityOf(viewer, cluster, `rbac.authorization.k8s.io/${resource}`).kind === "all",
    );
    if (isWhole) return;
    throw new FlotillaError(
      "PERMISSION_DENIED",
      `to see who has access in ${cluster} you need the right to list its roles and role bindings of all namespaces`,
    );
  }
}

function parseObject(text: string): RbacObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
    throw new FlotillaError("INVALID_ARGUMENT", "an object of the preview is not JSON");
  }
  return parseRbacObject(value);
}

/** Rows are ordered by namespace, and cluster-scoped objects have the least. Unknown without rows. */
function isNamespacedOf(table: KindTable): { readonly isNamespaced?: boolean } {
  const last = table.order().at(-1);
  return last === undefined ? {} : { isNamespaced: (table.namespaces.values[last] ?? 0) !== 0 };
}

/** The rows that two visibilities show. */
function selectBoth(table: KindTable | undefined, one: Visibility, other: Visibility): ReadonlySet<number> {
  if (table === undefined) return new Set();
  return new Set(selectVisible(table, one)).intersection(new Set(selectVisible(table, other)));
}

/** The first keys of these rows. */
function sampleKeys(
  cluster: string,
  resource: string,
  table: KindTable | undefined,
  rows: ReadonlySet<number>,
): readonly QueriedObject[] {
  if (table === undefined || rows.size === 0) return [];
  const { texts } = table.cluster;
  // Numbers of rows depend on rows that the viewer may not see, so samples are the first in the order of keys.
  const inOrder = table.order().filter((row) => rows.has(row));
  return Array.from(inOrder.slice(0, sampleCount), (row) => ({
    cluster,
    resource,
    namespace: texts.get(table.cluster.namespaceText(table.namespaces.values[row] ?? 0)),
    name: texts.get(table.names.values[row] ?? 0),
  }));
}
