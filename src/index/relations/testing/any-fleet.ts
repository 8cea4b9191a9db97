// SPDX-License-Identifier: Apache-2.0
// Small random fleets whose objects own and name each other, and what a random subject may see of them.
import * as fc from "fast-check";
import { type ColumnSpec, type RowContent, toResourceVersion } from "../../../model/rows/row.ts";
import { isVisible, type Visibility } from "../../../rbac/visibility.ts";
import { anyVisibility } from "../../scan/testing/any-visibility.ts";
import type { VisibilityOf } from "../visible-cluster.ts";
import type { BuiltRow } from "./built-fleet.ts";

const clusters = ["east", "west"];
const kinds: readonly (readonly [resource: string, kind: string])[] = [
  ["apps/deployments", "Deployment"],
  ["apps/replicasets", "ReplicaSet"],
  ["autoscaling/horizontalpodautoscalers", "HorizontalPodAutoscaler"],
  ["example.com/deployments", "Deployment"],
  ["discovery.k8s.io/endpointslices", "EndpointSlice"],
  ["networking.k8s.io/ingresses", "Ingress"],
  ["nodes", "Node"],
  ["pods", "Pod"],
  ["services", "Service"],
];
/** The columns of these rows. */
const fleetColumns: readonly ColumnSpec[] = [
  { name: "node", type: "string" },
  { name: "service", type: "string" },
  { name: "targetKind", type: "string" },
  { name: "targetName", type: "string" },
  { name: "images", type: "stringList" },
  { name: "containers", type: "stringList" },
  { name: "endpoints", type: "stringList" },
  { name: "paths", type: "stringList" },
];

const name = fc.constantFrom("a", "b", "shop", "web");
/** Few uids, so that references meet objects; some of no object, some of several. */
const uid = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 6 }).map((n) => `00000000-0000-4000-8000-00000000000${n}`) },
  { weight: 1, arbitrary: fc.constantFrom("", "text") },
);
const kind = fc.oneof(
  fc.constantFrom(...kinds),
  fc.constantFrom(...kinds.filter(([resource]) => resource === "pods" || resource === "apps/replicasets")),
);
/** Which object owns a row, by its place among those that can; with `isForeign` the uid is that of another object. */
const ownership = fc.option(
  fc.record({ place: fc.nat({ max: 30 }), isForeign: fc.nat({ max: 7 }).map((n) => n === 0) }),
  {
    freq: 4,
    nil: undefined,
  },
);
const container = fc
  .record({
    reason: fc.constantFrom("ImagePullBackOff", "ErrImagePull", "Error"),
    image: fc.constantFrom("i:1", "i:2"),
  })
  .map((each) => JSON.stringify(each));
const endpoint = name.map((targetName) => JSON.stringify({ targetKind: "Pod", targetName }));
const path = name.map((service) => JSON.stringify({ service }));
const columns = fc
  .record(
    {
      node: name,
      service: name,
      targetKind: fc.constantFrom("Deployment", "Pod", "None"),
      targetName: name,
      images: fc.constant(["i:1"]),
      containers: fc.array(container, { minLength: 1, maxLength: 2 }),
      endpoints: fc.array(fc.oneof(endpoint, fc.constantFrom("{", "[]")), { minLength: 1, maxLength: 3 }),
      paths: fc.array(path, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  .map((all) => new Map(Object.entries(all)));

const content: fc.Arbitrary<RowContent> = fc.record({
  namespace: fc.constantFrom("", "a", "shop", "shop"),
  name,
  uid,
  resourceVersion: fc.constant(toResourceVersion("1")),
  generation: fc.constant(1),
  createdAt: fc.constantFrom(0, 1_000, 2_000),
  status: fc.constantFrom("unhealthy", "unhealthy", "unhealthy", "degraded", "terminating", "progressing", "healthy"),
  reason: fc.constantFrom("ImagePullBackOff", "ErrImagePull", "NotReady", "NotReady", "Terminating", "Error"),
  message: fc.constantFrom("0 of 3", "1 of 3", "no node"),
  labels: fc.constantFrom(new Map(), new Map([["pod-template-hash", "shop"]]), new Map([["app", "web"]])),
  annotations: fc.constant(new Map<string, string>()),
  columns,
});

interface DrawnRow extends BuiltRow {
  readonly owned: { readonly place: number; readonly isForeign: boolean } | undefined;
}

const drawn: fc.Arbitrary<DrawnRow> = fc
  .record({ cluster: fc.constantFrom(...clusters), type: kind, content, owned: ownership })
  .map(({ cluster, type: [resource, rowKind], content: each, owned }) => ({
    cluster,
    resource,
    kind: rowKind,
    columns: fleetColumns,
    content: resource === "nodes" ? { ...each, namespace: "" } : each,
    owned,
  }));

function keyText({ cluster, resource, content: { namespace, name } }: BuiltRow): string {
  return `${cluster} ${resource} ${namespace} ${name}`;
}

/** The row with its owner reference. An object may own itself, directly or through others. */
function withOwner({ owned, ...row }: DrawnRow, all: readonly DrawnRow[]): BuiltRow {
  if (owned === undefined) return row;
  const { namespace } = row.content;
  const owners = all.filter(
    ({ cluster, content: each }) => cluster === row.cluster && ["", namespace].includes(each.namespace),
  );
  const owner = owners[owned.place % Math.max(owners.length, 1)];
  if (owner === undefined) return row;
  const reference = {
    group: owner.resource.includes("/") ? owner.resource.slice(0, owner.resource.indexOf("/")) : "",
    kind: owner.kind,
    name: owner.content.name,
    uid: owned.isForeign ? "00000000-0000-4000-8000-0000000000ff" : owner.content.uid,
  };
  return { ...row, content: { ...row.content, owner: reference } };
}

/** The rows of a fleet, each key once. Chains, trees and cycles of owners occur. */
export const anyFleetRows: fc.Arbitrary<readonly BuiltRow[]> = fc
  .uniqueArray(drawn, { selector: keyText, minLength: 1, maxLength: 24, size: "max" })
  .map((all) => all.map((row) => withOwner(row, all)));

/** What a subject may see, by cluster and resource. */
export const anyVisibilityOf: fc.Arbitrary<VisibilityOf> = fc
  .tuple(fc.array(fc.oneof(anyVisibility, fc.constant<Visibility>({ kind: "all" })), { minLength: 18, maxLength: 18 }))
  .map(([all]) => {
    const places = clusters.flatMap((cluster) => kinds.map(([resource]) => `${cluster} ${resource}`));
    const byPlace = new Map(places.map((place, at) => [place, all[at]] as const));
    return (cluster, resource) => byPlace.get(`${cluster} ${resource}`) ?? { kind: "none" };
  });

/** The rows that the subject may see. */
export function visibleRows(rows: readonly BuiltRow[], visibilityOf: VisibilityOf): readonly BuiltRow[] {
  return rows.filter(({ cluster, resource, content: { namespace, name } }) =>
    isVisible(visibilityOf(cluster, resource), namespace, name),
  );
}
