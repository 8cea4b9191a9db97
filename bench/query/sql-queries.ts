// SPDX-License-Identifier: Apache-2.0
// The queries of the bench as SQL: one statement for the page, one for the total and the four facets. What the user may
// see is joined from two tables: whole clusters, and single namespaces.
import { type ComparedAnswer, keyText, topCounts } from "./expected-answer.ts";
import type { RecordedQuery, SqlValue } from "./recorded-queries.ts";
import type { SpecialQuery } from "./special-queries.ts";
import { pageSize } from "./time-queries.ts";

/** The differences between the databases. */
export interface SqlDialect {
  /** A column contains the next value, in any case of letters. */
  readonly containsSql: (column: string) => string;
  readonly hasGroupingSets: boolean;
}

export interface SqlStatement {
  readonly sql: string;
  /** For each `?` of the text, in order. */
  readonly values: readonly SqlValue[];
}

const visibleSql = `(cluster in (select cluster from visible_clusters)
  or (cluster, scope) in (select cluster, namespace from visible_namespaces))`;

const keyColumns = "cluster, resource, namespace, name";

const facetColumns = { cluster: "cluster", namespace: "namespace", kind: "resource", status: "status" } as const;

/** The page of a query. */
export function pageStatement(query: RecordedQuery & Partial<SpecialQuery>, dialect: SqlDialect): SqlStatement {
  const { sort, after } = query;
  const order = sort === undefined ? keyColumns : `${sort.sql}, ${keyColumns}`;
  const afterSql = after === undefined ? "" : ` and (${keyColumns}) > (?, ?, ?, ?)`;
  const afterValues = after === undefined ? [] : [after.cluster, after.resource, after.namespace, after.name];
  return {
    sql: `select ${keyColumns}, status, reason, message, created, label_app, owner from rows
      where ${visibleSql} and (${conditionSql(query, dialect)})${afterSql} order by ${order} limit ${pageSize}`,
    values: [...valuesOf(query), ...afterValues],
  };
}

/** The facets of a query: rows of a field's name, a value and a count; "" for the total. */
export function facetStatement(query: RecordedQuery, dialect: SqlDialect): SqlStatement {
  const matched = `select cluster, namespace, resource, status from rows
    where ${visibleSql} and (${conditionSql(query, dialect)})`;
  return { sql: dialect.hasGroupingSets ? groupingSets(matched) : separateGroups(matched), values: valuesOf(query) };
}

function groupingSets(matched: string): string {
  return `select case when grouping(cluster) = 0 then 'cluster' when grouping(namespace) = 0 then 'namespace'
      when grouping(resource) = 0 then 'kind' when grouping(status) = 0 then 'status' else '' end as field,
      coalesce(cluster, namespace, resource, status, '') as value, count(*) as count
    from (${matched}) as matched group by grouping sets ((cluster), (namespace), (resource), (status), ())`;
}

function separateGroups(matched: string): string {
  const groups = Object.entries(facetColumns).map(
    ([field, column]) => `select '${field}', ${column}, count(*) from matched group by ${column}`,
  );
  return `with matched as materialized (${matched})
    select '' as field, '' as value, count(*) as count from matched union all ${groups.join(" union all ")}`;
}

/** The problems of the fleet as far as SQL groups them: by kind, reason and app. */
export const problemsStatement: SqlStatement = {
  sql: `select resource, reason, label_app, count(*), count(distinct cluster), min(created) from rows
    where ${visibleSql} and status = 'unhealthy' group by resource, reason, label_app order by 4 desc limit 50`,
  values: [],
};

function conditionSql({ where }: RecordedQuery, { containsSql }: SqlDialect): string {
  return where.sql.replace(/(\w+) ~ \?/g, (_, column: string) => containsSql(column));
}

/** Values after `~` are patterns of LIKE. They have neither `%` nor `_`. */
function valuesOf({ where }: RecordedQuery): readonly SqlValue[] {
  const operators = [...where.sql.matchAll(/(~)? ?\?/g)];
  return where.values.map((value, at) => (operators[at]?.[1] === "~" ? `%${value}%` : value));
}

/** The rows of both statements as an answer. */
export function toAnswer(
  page: readonly (readonly unknown[])[],
  groups: readonly (readonly unknown[])[],
): ComparedAnswer {
  const byField = Map.groupBy(groups, ([field]) => String(field));
  const countsOf = (field: string): Iterable<readonly [string, number]> =>
    (byField.get(field) ?? []).map(([, value, count]) => [String(value), Number(count)] as const);
  const [[, total = 0] = []] = countsOf("");
  return {
    total,
    keys: page.map(([cluster, resource, namespace, name]) =>
      keyText(String(cluster), String(resource), String(namespace), String(name)),
    ),
    facets: Object.fromEntries(Object.keys(facetColumns).map((field) => [field, topCounts(countsOf(field))])),
  };
}
