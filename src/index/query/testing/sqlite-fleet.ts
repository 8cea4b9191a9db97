// SPDX-License-Identifier: Apache-2.0
// The same rows in SQLite, with RBAC as a join: a second opinion that shares no code with the index.
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { statusRank } from "../../../model/status.ts";
import type { OrderTest, Predicate, TextTest } from "../../language/query-predicate.ts";
import type { QueryRequest } from "../query-request.ts";
import type { FleetPlace } from "./plain-fleet.ts";
import type { PlainRow } from "./plain-values.ts";

const columns = [
  ..."cluster region environment resource namespace name uid status rank reason message created".split(" "),
  ..."label_app label_a annotation_app annotation_b owner_kind owner_name phase restarts load ready hosts".split(" "),
];

/** Fields that SQLite counts and sorts by here, with their SQL. An empty text is no value. */
export const sqlFields: Readonly<Record<string, string>> = {
  cluster: "cluster",
  region: "nullif(region, '')",
  kind: "resource",
  namespace: "nullif(namespace, '')",
  name: "name",
  status: "status",
  reason: "nullif(reason, '')",
  owner: "owner_kind || '/' || owner_name",
  "label.app": "label_app",
  "field.restarts": "restarts",
};

export class SqliteFleet implements Disposable {
  readonly #database = new DatabaseSync(":memory:");

  constructor(rows: readonly PlainRow[], places: readonly FleetPlace[], visibilityOf: QueryRequest["visibilityOf"]) {
    this.#database.exec(`
      create table rows (${columns.join(", ")}, primary key (cluster, resource, namespace, name)) without rowid;
      create table grants (cluster, resource, namespace, name);
      create view visible as select distinct rows.* from rows join grants on
        grants.cluster = rows.cluster and grants.resource = rows.resource and
        (grants.namespace is null or grants.namespace = rows.namespace) and
        (grants.name is null or grants.name = rows.name)`);
    const insert = this.#database.prepare(`insert into rows values (${columns.map(() => "?").join(", ")})`);
    for (const row of rows) insert.run(...valuesOf(row));
    const grant = this.#database.prepare("insert into grants values (?, ?, ?, ?)");
    for (const { fields, resource } of places)
      for (const [namespace, name] of grantsOf(visibilityOf(fields.cluster, resource)))
        grant.run(fields.cluster, resource, namespace, name);
  }

  /** The keys of the rows that match, in the order of SQL terms and then of keys. */
  keys(where: string, order: readonly string[]): readonly string[] {
    const terms = [...order, "cluster", "resource", "namespace", "name"].join(", ");
    const found = this.#database
      .prepare(`select cluster || ' ' || resource || ' ' || namespace || '/' || name as key from visible
        where ${where} order by ${terms}`)
      .all();
    return found.map(({ key }) => String(key));
  }

  /** Counts by value, the most frequent first; null for none. */
  counts(where: string, field: string): readonly (readonly [value: string | null, count: number])[] {
    return this.#database
      .prepare(`select cast(${field} as text) as value, count(*) as count from visible where ${where}
        group by 1 order by count desc, value`)
      .all()
      .map(({ value, count }) => [value === null ? null : String(value), Number(count)]);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function grantsOf(visibility: ReturnType<QueryRequest["visibilityOf"]>): (readonly [string | null, string | null])[] {
  if (visibility.kind === "none") return [];
  if (visibility.kind === "all") return [[null, null]];
  return [
    ...Array.from(visibility.names, (name) => [null, name] as const),
    ...Array.from(visibility.namespaces, (namespace) => [namespace, null] as const),
    ...Array.from(visibility.namesIn).flatMap(([space, names]) => Array.from(names, (name) => [space, name] as const)),
    ...Array.from(visibility.namespaceObjects, (name) => ["", name] as const),
  ];
}

function valuesOf({ fields, resource, row }: PlainRow): SQLInputValue[] {
  const own = (name: string): SQLInputValue => {
    const value = row.columns.get(name);
    if (value === undefined) return null;
    return typeof value === "object" ? JSON.stringify(value) : typeof value === "boolean" ? Number(value) : value;
  };
  return [
    fields.cluster,
    fields.region,
    fields.environment,
    resource,
    row.namespace,
    row.name,
    row.uid,
    row.status,
    statusRank(row.status),
    row.reason,
    row.message,
    row.createdAt === 0 ? null : row.createdAt,
    row.labels.get("app") ?? null,
    row.labels.get("a") ?? null,
    row.annotations.get("app") ?? null,
    row.annotations.get("b") ?? null,
    row.owner?.kind ?? null,
    row.owner?.name ?? null,
    ...["phase", "restarts", "load", "ready", "hosts"].map(own),
  ];
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Wildcards of queries are those of GLOB. */
function glob(pattern: string): string {
  return text(pattern.replace(/\\(.)|\[/gsu, (whole, escaped: string | undefined) => `[${escaped ?? whole}]`));
}

function testSql(column: string, test: TextTest): string {
  if (test.kind === "equals") return `${column} = ${text(test.text)}`;
  if (test.kind === "matches") return `${column} glob ${glob(test.pattern)}`;
  return `lower(${column}) glob ${glob(`*${test.pattern}*`)}`;
}

/** The predicate as SQL; undefined for those that have no counterpart here. Missing values fail every test. */
export function predicateSql(predicate: Predicate, nowMs: number): string | undefined {
  switch (predicate.kind) {
    case "all":
      return "1";
    case "and":
    case "or": {
      const parts = predicate.parts.map((part) => predicateSql(part, nowMs));
      return parts.includes(undefined) ? undefined : `(${parts.join(` ${predicate.kind} `)})`;
    }
    case "not": {
      const of = predicateSql(predicate.of, nowMs);
      return of === undefined ? undefined : `not ${of}`;
    }
    case "resources":
      return `resource in (${predicate.resources.map(text).join(", ")})`;
    case "status":
      return `status = ${text(predicate.status)}`;
    case "field":
      return `coalesce(${testSql(predicate.field, predicate.test)}, 0)`;
    case "label":
    case "annotation": {
      const column = `${predicate.kind}_${predicate.key}`;
      return columns.includes(column) ? `coalesce(${testSql(column, predicate.test)}, 0)` : "0";
    }
    case "age":
      return `coalesce(${nowMs} - created ${predicate.order} ${predicate.ms}, 0)`;
    case "created":
      return `coalesce(created ${predicate.order} ${predicate.atMs}, 0)`;
    case "owner": {
      const ofKind = predicate.ownerKind === "" ? "1" : `owner_kind = ${text(predicate.ownerKind)}`;
      return `coalesce(${ofKind} and ${testSql("owner_name", predicate.test)}, 0)`;
    }
    case "text":
      return `(${["name", "reason", "message"].map((column) => testSql(column, predicate.test)).join(" or ")})`;
    case "column":
      return columnSql(predicate.column, predicate.test);
    case "image":
      return undefined;
  }
}

function columnSql(column: string, test: Extract<Predicate, { kind: "column" }>["test"]): string | undefined {
  const { text: textTest, number, boolean, ...others } = test;
  if (Object.keys(others).length > 0) return undefined;
  const order = (value: OrderTest, wanted: number): string => `coalesce(${column} ${value} ${wanted}, 0)`;
  switch (column) {
    case "phase":
      return textTest === undefined ? "0" : `coalesce(${testSql("phase", textTest)}, 0)`;
    case "hosts":
      return textTest === undefined
        ? "0"
        : `exists (select 1 from json_each(hosts) where ${testSql("json_each.value", textTest)})`;
    case "ready":
      return boolean === undefined ? "0" : order("=", Number(boolean));
    case "restarts":
    case "load":
      return number === undefined ? "0" : order(number.order, number.value);
    default:
      return "0";
  }
}
