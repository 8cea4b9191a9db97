// SPDX-License-Identifier: Apache-2.0
// Owners and references of rows, found the plain way: by looking at every other row.
import { compareUtf8 } from "../../../model/text.ts";
import type { BuiltRow } from "./built-fleet.ts";

/** `FROM TYPE TO`, each row by its place in the list. */
export interface NaiveEdge {
  readonly from: BuiltRow;
  readonly to: BuiltRow;
  readonly type: string;
}

function groupOf(resource: string): string {
  return resource.includes("/") ? resource.slice(0, resource.indexOf("/")) : "";
}

/** The owner of a row among these rows. */
export function naiveOwner(rows: readonly BuiltRow[], child: BuiltRow): BuiltRow | undefined {
  const { owner, namespace } = child.content;
  if (owner === undefined || owner.uid === "") return undefined;
  const matches = rows.filter(
    ({ cluster, resource, kind, content }) =>
      cluster === child.cluster &&
      groupOf(resource) === owner.group &&
      kind === owner.kind &&
      content.name === owner.name &&
      content.uid === owner.uid &&
      (content.namespace === namespace || content.namespace === ""),
  );
  return matches.find(({ content }) => content.namespace === namespace) ?? matches[0];
}

function texts(row: BuiltRow, column: string): readonly string[] {
  const value = row.content.columns.get(column);
  return typeof value === "object" ? value : typeof value === "string" ? [value] : [];
}

function field(json: string, name: string): readonly string[] {
  try {
    const value: unknown = (JSON.parse(json) as Record<string, unknown>)[name];
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}

/** What a row names: the type of edge, whether it leads back to the row, and kind, namespace and name of the other. */
export function naiveReferences(row: BuiltRow): readonly {
  readonly type: string;
  readonly isReversed: boolean;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}[] {
  const { namespace } = row.content;
  const to = (type: string, kind: string, names: readonly string[], isReversed = false, scope = namespace) =>
    names.map((name) => ({ type, isReversed, kind, namespace: scope, name }));
  switch (row.kind) {
    case "Pod":
      return to("runsOn", "Node", texts(row, "node"), false, "");
    case "EndpointSlice":
      return [
        ...to("hasEndpoints", "Service", texts(row, "service"), true),
        ...to(
          "targets",
          "Pod",
          texts(row, "endpoints").flatMap((each) => field(each, "targetName")),
        ),
      ];
    case "Ingress":
      return to(
        "routesTo",
        "Service",
        texts(row, "paths").flatMap((each) => field(each, "service")),
      );
    case "HorizontalPodAutoscaler": {
      const [kind] = texts(row, "targetKind");
      return kind === undefined ? [] : to("scales", kind, texts(row, "targetName"));
    }
    default:
      return [];
  }
}

/** The row that a reference names. */
export function naiveTarget(
  rows: readonly BuiltRow[],
  from: BuiltRow,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
): BuiltRow | undefined {
  const [first] = rows
    .filter(
      (each) =>
        each.cluster === from.cluster &&
        each.kind === kind &&
        each.content.namespace === namespace &&
        each.content.name === name,
    )
    .sort((a, b) => compareUtf8(a.resource, b.resource));
  return first;
}

/** Every edge between these rows. */
export function naiveEdges(rows: readonly BuiltRow[]): readonly NaiveEdge[] {
  const edges: NaiveEdge[] = [];
  for (const row of rows) {
    const owner = naiveOwner(rows, row);
    if (owner !== undefined) edges.push({ from: owner, to: row, type: "owns" });
    for (const reference of naiveReferences(row)) {
      const target = naiveTarget(rows, row, reference);
      if (target === undefined) continue;
      edges.push(
        reference.isReversed
          ? { from: target, to: row, type: reference.type }
          : { from: row, to: target, type: reference.type },
      );
    }
  }
  return edges;
}
