// SPDX-License-Identifier: Apache-2.0
// Queries that are measured beside the recorded ones, without a goal.
import { createHmac } from "node:crypto";
import type { FleetIndex } from "../../src/hub/index/fleet-index.ts";
import { bindingOf } from "../../src/hub/index/query-runs.ts";
import { createCursorCodec } from "../../src/index/query/cursor-codec.ts";
import type { QueryKey } from "../../src/index/query/query-request.ts";
import { benchCursorKey } from "./load-index.ts";
import type { RecordedQuery } from "./recorded-queries.ts";
import { askIndex, benchViewer, pageSize } from "./time-queries.ts";

/** A query with a name for the report. */
export interface SpecialQuery extends RecordedQuery {
  readonly name: string;
  /** The page begins after this row. Undefined: the first page. */
  readonly after?: QueryKey | undefined;
  /** The same for the index. */
  readonly cursor?: string;
}

const podQuery = { text: "kind:Pod", where: { sql: "resource = ?", values: ["pods"] } };

/** The needle is a Pod in the middle of the visible rows. */
export async function createSpecialQueries(index: FleetIndex): Promise<readonly SpecialQuery[]> {
  const { rows } = await askIndex(index, { text: "kind:Pod cluster:prod-us-*", where: podQuery.where });
  const needle = rows.at(-1)?.row.name ?? "";
  const all = { text: "", where: { sql: "true", values: [] } };
  return [
    { name: "needle: one name", text: `name=${needle}`, where: { sql: "name = ?", values: [needle] } },
    { name: "prefix of names", text: "name:cart-api-*", where: { sql: "name like ?", values: ["cart-api-%"] } },
    { ...podQuery, name: "Pods by age, youngest first", sort: { field: "age", sql: "created desc" } },
    { ...all, name: "all rows by age, oldest first", sort: { field: "-age", sql: "created" } },
    { ...podQuery, name: "last page of Pods", ...(await findLastPage(index)) },
  ];
}

/** The row before the last page, found from the end of the order. */
async function findLastPage(index: FleetIndex): Promise<Pick<SpecialQuery, "after" | "cursor">> {
  const reversed = ["-cluster", "-kind", "-namespace", "-name"];
  const last = await index.query(0, benchViewer, {
    text: podQuery.text,
    limit: pageSize + 1,
    cursor: "",
    sort: reversed,
    facets: [],
    groupBy: [],
    measure: "",
    explain: false,
  });
  const found = last.rows[pageSize];
  if (found === undefined) throw new Error("there is no last page: too few rows");
  const { cluster, resource, row } = found;
  const after = { cluster, resource, namespace: row.namespace, name: row.name };
  const codec = createCursorCodec(benchCursorKey, (key, message) => createHmac("sha256", key).update(message).digest());
  const binding = bindingOf(benchViewer.viewer, last.canonicalText, "");
  return { after, cursor: codec.encode({ position: { values: [], key: after }, atMs: undefined }, binding) };
}
