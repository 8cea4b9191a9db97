// SPDX-License-Identifier: Apache-2.0
// Two random fleets that differ only in what one user may not see.
import * as fc from "fast-check";
import { naiveVisible } from "../../../index/access/testing/naive-visibility.ts";
import { resourceOf, rowOfObject, toLists } from "../../../index/access/testing/rbac-sample-rows.ts";
import { anyFleetRows } from "../../../index/relations/testing/any-fleet.ts";
import type { BuiltRow } from "../../../index/relations/testing/built-fleet.ts";
import { type ColumnSpec, toResourceVersion } from "../../../model/rows/row.ts";
import type { Subject } from "../../../model/subject.ts";
import { createRule, type RbacObject, rbacApiGroup } from "../../../rbac/rbac-types.ts";

/** The user for whom both fleets are the same. */
export const halfSeeing: Subject = { user: "ada", groups: ["team"] };

/** Clusters of these fleets. */
export const halfSeenClusters: readonly string[] = ["east", "west"];

const rbacColumns: readonly ColumnSpec[] = [
  { name: "rules", type: "stringList" },
  { name: "subjects", type: "stringList" },
  { name: "roleGroup", type: "string" },
  { name: "roleKind", type: "string" },
  { name: "roleName", type: "string" },
];

const rbacResourceNames = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"];

interface Grant {
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly namespace: string;
}

/** These verbs on these resources, in a namespace or, for "", everywhere. */
const anyGrant: fc.Arbitrary<Grant> = fc.record({
  verbs: fc.constantFrom(["get", "list", "watch"], ["get", "list", "watch"], ["list"], ["get"], ["create"]),
  resources: fc.constantFrom(
    ["*"],
    ["pods"],
    ["pods", "replicasets", "deployments"],
    ["services", "endpointslices", "ingresses"],
    ["nodes"],
    rbacResourceNames,
    rbacResourceNames,
    ["subjectaccessreviews"],
  ),
  resourceNames: fc.constantFrom([], [], ["web"], ["a", "shop"]),
  namespace: fc.constantFrom("", "a", "shop", "shop"),
});

/** A role and a binding for each grant. */
function toPolicy(grants: readonly Grant[], user: string): readonly RbacObject[] {
  return grants.flatMap(({ verbs, resources, resourceNames, namespace }, at): readonly RbacObject[] => {
    const name = `${user}-${at}`;
    const rules = [createRule({ verbs, apiGroups: ["*"], resources, resourceNames })];
    const bound = {
      name,
      subjects: [{ kind: "User", name: user, namespace: "" }],
      roleRef: { apiGroup: rbacApiGroup, kind: "ClusterRole", name },
    };
    return [
      { kind: "ClusterRole", namespace: "", name, rules },
      namespace === ""
        ? { kind: "ClusterRoleBinding", namespace: "", ...bound }
        : { kind: "RoleBinding", namespace, ...bound },
    ];
  });
}

function policyRow(cluster: string, object: RbacObject): BuiltRow {
  const { namespace, name, columns } = rowOfObject(object);
  const content = {
    namespace,
    name,
    uid: "",
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 1_000,
    status: "healthy",
    reason: "",
    message: "",
    labels: new Map<string, string>(),
    annotations: new Map<string, string>(),
    columns,
  } as const;
  return { cluster, resource: resourceOf(object), kind: object.kind, columns: rbacColumns, content };
}

/** Gives a hidden row words that only hidden rows of one fleet have. */
function markHidden(row: BuiltRow, mark: string): BuiltRow {
  if (row.resource.startsWith(rbacApiGroup)) return row;
  const { content } = row;
  const labels = new Map([...content.labels, [`only-${mark}`, `value-${mark}`]]);
  return { ...row, content: { ...content, labels, reason: `Only${mark}`, message: `${content.message} ${mark}` } };
}

/** An object of a custom kind with a column, in a namespace that no other object has. */
function rareRow(cluster: string, mark: string): BuiltRow {
  const column = `column${mark}`;
  const { content } = policyRow(cluster, { kind: "ClusterRole", namespace: "", name: mark, rules: [] });
  return {
    cluster,
    resource: `only-${mark}.example.com/things`,
    kind: `Thing${mark}`,
    columns: [{ name: column, type: "string" }],
    content: { ...content, namespace: `hidden-${mark}`, columns: new Map([[column, "x"]]), status: "unhealthy" },
  };
}

export interface HalfSeenFleets {
  readonly fleets: readonly [readonly BuiltRow[], readonly BuiltRow[]];
  /** The rows of both that the user sees. */
  readonly seen: readonly BuiltRow[];
  /** Both fleets have rows of the same kinds in each cluster, as discovery may show to every user. */
  readonly haveSameKinds: boolean;
}

type Grants = Readonly<Record<"east" | "west", readonly Grant[]>>;

const anyGrants: fc.Arbitrary<Grants> = fc.record({
  east: fc.array(anyGrant, { maxLength: 4 }),
  west: fc.array(anyGrant, { maxLength: 4 }),
});

/** The RBAC objects of grants in both clusters, for one user. */
function policyRows({ east, west }: Grants, user: string): readonly BuiltRow[] {
  const rowsOf = (cluster: string, grants: readonly Grant[]): readonly BuiltRow[] =>
    toPolicy(grants, user).map((object) => policyRow(cluster, object));
  return [...rowsOf("east", east), ...rowsOf("west", west)];
}

/** Pods have containers as JSON (KI7), other kinds a list of images (KI8). No kind has both. */
function toOneForm(row: BuiltRow): BuiltRow {
  const dropped = row.resource === "pods" ? "images" : "containers";
  const columns = new Map([...row.content.columns].filter(([name]) => name !== dropped));
  return { ...row, content: { ...row.content, columns } };
}

const keyText = ({ cluster, resource, content: { namespace, name } }: BuiltRow): string =>
  `${cluster} ${resource} ${namespace}/${name}`;

const kindText = ({ cluster, resource }: BuiltRow): string => `${cluster} ${resource}`;

/** Two fleets with the same visible rows and the same grants for `halfSeeing`, and different other rows and grants. */
export const anyHalfSeenFleets: fc.Arbitrary<HalfSeenFleets> = fc
  .record({
    rows: fc.tuple(anyFleetRows, anyFleetRows),
    own: anyGrants,
    others: fc.tuple(anyGrants, anyGrants),
    haveSameKinds: fc.boolean(),
  })
  .map(({ rows, own, others, haveSameKinds }) => {
    const lists = {
      east: toLists(toPolicy(own.east, halfSeeing.user)),
      west: toLists(toPolicy(own.west, halfSeeing.user)),
    };
    const isSeen = ({ cluster, resource, content: { namespace, name } }: BuiltRow): boolean =>
      naiveVisible(cluster === "east" ? lists.east : lists.west, halfSeeing, { resource, namespace, name }, "list");
    const drawRows = (at: 0 | 1, mark: string): readonly BuiltRow[] => [
      // The scope of a kind is known from discovery, so no kind has both.
      ...rows[at]
        .filter(({ resource, content }) => (resource === "nodes") === (content.namespace === ""))
        .map(toOneForm),
      ...policyRows(others[at], `zoe-${mark}`),
      ...halfSeenClusters.map((cluster) => rareRow(cluster, mark)),
    ];
    const first = drawRows(0, "one");
    const policy = policyRows(own, halfSeeing.user);
    const seen = [...first, ...policy].filter(isSeen);
    const common = [...seen, ...policy];
    const hiddenOf = (all: readonly BuiltRow[], mark: string): readonly BuiltRow[] =>
      all.filter((row) => !isSeen(row)).map((row) => markHidden(row, mark));
    const hidden = [hiddenOf(first, "one"), hiddenOf(drawRows(1, "two"), "two")] as const;
    const [kindsA, kindsB] = hidden.map((some) => new Set(some.map(kindText)));
    const sameKinds = new Set(common.map(kindText)).union(kindsA?.intersection(kindsB ?? new Set()) ?? new Set());
    const fleetOf = (some: readonly BuiltRow[]): readonly BuiltRow[] => {
      const kept = haveSameKinds ? some.filter((row) => sameKinds.has(kindText(row))) : some;
      return [...new Map([...kept, ...common].map((row) => [keyText(row), row])).values()];
    };
    return { fleets: [fleetOf(hidden[0]), fleetOf(hidden[1])], seen, haveSameKinds };
  });
