// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../base/error.ts";
import { type QueryWanted, queryObjects } from "../query-objects.ts";
import { type FakeQueryService, fakeQueryCall } from "./fake-query.ts";

/** The options of `query` with their defaults. */
export const plainQuery: QueryWanted = {
  query: "status:unhealthy",
  at: "",
  limit: 100,
  sort: [],
  facets: [],
  groupBy: [],
  columns: [],
  measure: "",
  explain: false,
  watch: false,
  includeDeleted: false,
  deleted: false,
  sinceMs: 0,
  changesSince: "",
  until: "",
  format: "table",
};

/** What `query` prints, and the error that it ends with. */
export async function runQuery(service: FakeQueryService, wanted: Partial<QueryWanted> = {}) {
  const { call, stdout, stderr } = fakeQueryCall(service);
  const failure = await queryObjects(call, { ...plainQuery, ...wanted }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (failure !== undefined && !(failure instanceof FlotillaError)) throw failure;
  return { stdout: stdout(), stderr: stderr(), code: failure?.code, message: failure?.message };
}
