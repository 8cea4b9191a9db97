// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import type { ColumnSpec, RowContent } from "../../../model/rows/row.ts";
import { statuses } from "../../../model/status.ts";
import type { Visibility } from "../../../rbac/visibility.ts";
import type { FieldRef, SortField } from "../../language/field-ref.ts";
import type { Predicate } from "../../language/query-predicate.ts";
import { anyVisibility } from "../../scan/testing/any-visibility.ts";
import { anyPredicate, smallColumns, smallContent } from "../../scan/testing/small-rows.ts";
import type { GroupRequest, QueryRequest } from "../query-request.ts";
import { type FleetPlace, keyOfContent } from "./plain-fleet.ts";

/** The columns of `anyContents` in each kind: only Pods have containers as JSON. */
export function testColumns(resource: string): readonly ColumnSpec[] {
  const lists = resource === "pods" ? ["containers", "initContainers"] : ["images"];
  return [
    ...smallColumns,
    { name: "amount", type: "string" },
    { name: "toolVersion", type: "string" },
    ...lists.map((name) => ({ name, type: "stringList" as const })),
  ];
}

const image = fc.constantFrom("nginx:1.2", "nginx:1.3", "redis:7");
const container = fc.option(image).map((each) => JSON.stringify({ name: "c", image: each ?? undefined }));
const images = fc.record(
  {
    images: fc.uniqueArray(image).map((each) => each.sort()),
    containers: fc.array(container, { maxLength: 2 }),
    initContainers: fc.array(container, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const typedTexts = fc.record(
  {
    amount: fc.constantFrom("1Gi", "1024Mi", "500m", "2", "10.0.0.9", "10.0.0.10", "fd00::1", "v1.9.0", "none", ""),
    toolVersion: fc.constantFrom("1.9", "1.31", "v1.31.2", "v1.31.2-rc.1", "unknown"),
  },
  { requiredKeys: [] },
);

const content: fc.Arbitrary<RowContent> = fc.tuple(smallContent, images, typedTexts).map(([small, more, typed]) => ({
  ...small,
  columns: new Map([...small.columns, ...Object.entries({ ...more, ...typed })]),
}));

/** Rows of one kind. */
export const anyContents = fc.uniqueArray(content, { selector: keyOfContent, maxLength: 10 });

/** A field that can be counted. */
export const anyCountedField: fc.Arbitrary<FieldRef> = fc.oneof(
  fc
    .constantFrom(
      ...([
        "cluster",
        "region",
        "environment",
        "namespace",
        "kind",
        "name",
        "status",
        "reason",
        "owner",
        "image",
      ] as const),
    )
    .map((field) => ({ field, name: "" })),
  fc.constantFrom("app", "a", "none").map((name) => ({ field: "label." as const, name })),
  fc.constantFrom("app", "b", "").map((name) => ({ field: "annotation." as const, name })),
  fc
    .constantFrom("phase", "restarts", "load", "ready", "hosts", "amount", "none")
    .map((name) => ({ field: "field." as const, name })),
);

const sortField: fc.Arbitrary<SortField> = fc.record({
  ref: fc.oneof(
    anyCountedField.filter(({ field, name }) => field !== "annotation." || name !== ""),
    fc.constantFrom("created", "age", "uid", "message").map((field): FieldRef => ({ field, name: "" })),
    fc.constant<FieldRef>({ field: "field.", name: "toolVersion" }),
  ),
  isDescending: fc.boolean(),
});

export const anySort = fc.array(sortField, { maxLength: 4 });

const anyGroup: fc.Arbitrary<GroupRequest> = fc.record({
  by: fc.array(anyCountedField, { minLength: 1, maxLength: 3 }),
  of: fc.option(
    fc.constantFrom<FieldRef>(
      { field: "created", name: "" },
      { field: "age", name: "" },
      { field: "field.", name: "restarts" },
      { field: "field.", name: "amount" },
      { field: "reason", name: "" },
    ),
    { nil: undefined },
  ),
});

/** Predicates that cells can answer. */
export const cellPredicate: fc.Arbitrary<Predicate> = fc.letrec<{ readonly predicate: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { depthSize: "small" },
    fc.constant<Predicate>({ kind: "all" }),
    fc.record({ kind: fc.constant("status" as const), status: fc.constantFrom(...statuses.slice(0, 4)) }),
    fc.record({ kind: fc.constant("resources" as const), resources: fc.constantFrom(["pods"], ["apps/deployments"]) }),
    fc.record({
      kind: fc.constant("field" as const),
      field: fc.constantFrom("cluster" as const, "namespace" as const, "region" as const),
      test: fc.constantFrom(
        { kind: "equals" as const, text: "a" },
        { kind: "equals" as const, text: "east" },
        { kind: "equals" as const, text: "" },
        { kind: "matches" as const, pattern: "w*" },
      ),
    }),
    fc.record({
      kind: fc.constant("label" as const),
      key: fc.constantFrom("app", "a", "none"),
      test: fc.constantFrom(
        { kind: "equals" as const, text: "web" },
        { kind: "equals" as const, text: "b-1" },
        { kind: "equals" as const, text: "" },
        { kind: "matches" as const, pattern: "*" },
        { kind: "matches" as const, pattern: "w*" },
      ),
    }),
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      parts: fc.array(tie("predicate"), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("not" as const), of: tie("predicate") }),
  ),
})).predicate;

/** Tests of images and of texts by what they mean. */
const valuePredicate: fc.Arbitrary<Predicate> = fc.constantFrom<Predicate>(
  { kind: "image", test: { kind: "equals", text: "nginx:1.2" } },
  { kind: "not", of: { kind: "image", test: { kind: "contains", pattern: "nginx" } } },
  { kind: "column", column: "amount", test: { quantity: { order: ">=", value: 2 ** 30 } } },
  { kind: "column", column: "amount", test: { address: { order: "=", value: "10.0.0.0/29" } } },
  { kind: "column", column: "toolVersion", test: { version: { order: ">", value: "1.9" } } },
);

/** A request without visibility, page and moment. */
export const anyQuestion = fc.record({
  filter: fc.oneof(anyPredicate, cellPredicate, valuePredicate),
  sort: fc.oneof(fc.constant([]), anySort),
  facets: fc.array(
    fc.oneof(anyCountedField, fc.constant<FieldRef>({ field: "namespace", name: "" })).map((ref) => ({ ref })),
    { maxLength: 4 },
  ),
  group: fc.option(anyGroup, { nil: undefined }),
});

/** Grants in whole namespaces, which most users have. */
const namespaceVisibility: fc.Arbitrary<Visibility> = fc
  .uniqueArray(fc.constantFrom("a", "web", "elsewhere"), { minLength: 1 })
  .map((all) => ({
    kind: "some",
    names: new Set(),
    namespaces: new Set(all),
    namesIn: new Map(),
    namespaceObjects: new Set(),
  }));
const usualVisibility = fc.oneof(anyVisibility, namespaceVisibility, fc.constant<Visibility>({ kind: "all" }));

/** What a user may see, drawn for each place. */
export function anyVisibilities(places: readonly FleetPlace[]): fc.Arbitrary<QueryRequest["visibilityOf"]> {
  // One visibility for several kinds is the common case, and shares a mask.
  const shared = fc.tuple(usualVisibility, fc.array(fc.option(usualVisibility, { nil: undefined }), { maxLength: 4 }));
  return shared.map(([usual, others]) => {
    const byPlace = new Map<string, Visibility>(
      places.map(({ fields, resource }, at) => [`${fields.cluster} ${resource}`, others[at] ?? usual]),
    );
    return (cluster, resource) => byPlace.get(`${cluster} ${resource}`) ?? { kind: "none" };
  });
}
