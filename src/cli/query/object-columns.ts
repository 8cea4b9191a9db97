// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Row } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { FoundObject } from "../../gen/flotilla/query/v1/query_pb.ts";
import { humanAge } from "../../kinds/table/human-duration.ts";
import { tableOf } from "../../kinds/table/table-of.ts";
import { formatRelative } from "../output/relative-time.ts";
import { kindWord, rowOf } from "./found-object-json.ts";
import { toRowContent } from "./row-content.ts";

/** Titles of a table of objects, and the cells of one object. */
export interface ObjectColumns {
  readonly titles: readonly string[];
  cellsOf(object: FoundObject, nowMs: number): readonly string[];
}

/** Which columns a table has beside those of the kinds. */
export interface TableLayout {
  readonly isWide: boolean;
  /** False if all objects are of one namespace, or of none. */
  readonly hasNamespace: boolean;
  /** NAME is `pod/web`, as kubectl prints several kinds. */
  readonly hasKindInName: boolean;
  /** With the time of removal, for deleted objects. */
  readonly hasRemoval: boolean;
}

/**
 * The columns of objects of one kind: CLUSTER, NAMESPACE, then those that kubectl prints of the kind (KI30). A kind of
 * which kubectl prints only name and age has its status and reason too.
 */
export function columnsOfKind(resource: string, layout: TableLayout): ObjectColumns {
  const table = tableOf(resource);
  if (table.columns.map(({ name }) => name).join() === "Name,Age")
    return withPlace(layout, plainTitles(layout), (row, now) => plainCells(row, now, layout));
  const shown = table.columns.flatMap((column, at) => (column.priority === 0 || layout.isWide ? [{ column, at }] : []));
  return withPlace(
    layout,
    shown.map(({ column }) => column.name.toUpperCase()),
    (row, nowMs) => {
      const cells = table.cells(toRowContent(row), nowMs);
      return shown.map(({ column, at }) => {
        const text = String(cells[at] ?? "");
        return column.format === "name" && layout.hasKindInName ? `${kindWord(row)}/${text}` : text;
      });
    },
  );
}

/** The columns of objects of several kinds in one table. */
export function columnsOfMixedKinds(layout: TableLayout): ObjectColumns {
  return withPlace(layout, ["KIND", ...plainTitles(layout)], (row, nowMs) => [
    row.kind,
    ...plainCells(row, nowMs, { ...layout, hasKindInName: false }),
  ]);
}

/** The owner as `Deployment/web`; "" if there is none. */
export function ownerText({ owner }: Row): string {
  return owner === undefined ? "" : `${owner.kind}/${owner.name}`;
}

type RowCells = (row: Row, nowMs: number) => readonly string[];

function plainTitles({ isWide }: TableLayout): readonly string[] {
  return ["NAME", "STATUS", "REASON", "AGE", ...(isWide ? ["OWNER", "MESSAGE"] : [])];
}

function plainCells(row: Row, nowMs: number, { isWide, hasKindInName }: TableLayout): readonly string[] {
  const { name, status, reason, message, createdAt } = row;
  return [
    hasKindInName ? `${kindWord(row)}/${name}` : name,
    status,
    reason,
    humanAge(createdAt === undefined ? 0 : timestampMs(createdAt), nowMs),
    ...(isWide ? [ownerText(row), message] : []),
  ];
}

function withPlace(
  { hasNamespace, hasRemoval }: TableLayout,
  titles: readonly string[],
  cellsOf: RowCells,
): ObjectColumns {
  return {
    titles: ["CLUSTER", ...(hasNamespace ? ["NAMESPACE"] : []), ...titles, ...(hasRemoval ? ["REMOVED"] : [])],
    cellsOf: (object, nowMs) => {
      const row = rowOf(object);
      return [
        object.cluster,
        ...(hasNamespace ? [row.namespace] : []),
        ...cellsOf(row, nowMs),
        ...(hasRemoval ? [removalText(object, nowMs)] : []),
      ];
    },
  };
}

function removalText({ removedAt }: FoundObject, nowMs: number): string {
  return removedAt === undefined ? "" : formatRelative(timestampMs(removedAt), nowMs);
}
