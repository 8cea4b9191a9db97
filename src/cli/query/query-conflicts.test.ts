// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { QueryWanted } from "./query-objects.ts";
import { runQuery } from "./testing/run-query.ts";

test.each<[Partial<QueryWanted>, string]>([
  [{ columns: ["name"], format: "json" }, "--columns works with -o table, wide and csv"],
  [{ columns: ["name"], groupBy: ["ns"] }, "--columns does not work with --group-by"],
  [{ columns: ["region"] }, "--columns cannot show region, because rows do not have it; --group-by counts by regions"],
  [{ watch: true, explain: true }, "--watch and --explain do not work together; remove all but one"],
  [{ measure: "field.restarts" }, "--measure works only with --group-by"],
  [{ groupBy: ["kind"], sort: ["age"] }, "--sort does not work with --group-by; the largest groups come first"],
  [{ explain: true, includeDeleted: true }, "--include-deleted does not work with --explain"],
  [{ deleted: true, includeDeleted: true }, "--deleted and --include-deleted do not work together; remove one"],
  [{ deleted: true, groupBy: ["kind"] }, "--deleted does not work with --group-by"],
  [
    { deleted: true, at: "1h" },
    "--deleted does not work with --at; --changes-since and --until show what was deleted between",
  ],
  [{ sinceMs: 1 }, "--since works only with --deleted and --include-deleted"],
  [{ until: "1h" }, "--until works only with --changes-since"],
  [{ changesSince: "1h", at: "2h" }, "--at does not work with --changes-since; use --until for the later moment"],
  [{ changesSince: "1h", watch: true }, "--watch and --changes-since do not work together; remove all but one"],
  [{ changesSince: "1h", sort: ["name"] }, "--sort does not work with --changes-since"],
  [{ changesSince: "1h", facets: ["kind"] }, "--facets does not work with --changes-since"],
  [{ watch: true, at: "now-1h" }, "--at does not work with --watch; a live view shows the present"],
  [{ watch: true, limit: 501 }, "--watch follows at most 500 rows; lower --limit"],
  [{ watch: true, format: "csv" }, "-o csv does not work with --watch; use -o ndjson"],
  [{ groupBy: ["kind"], format: "name" }, "-o name does not work with --group-by"],
  [{ facets: ["kind"], format: "csv" }, "--facets works with -o table, wide, json and yaml"],
  [{ facets: ["kind"], watch: true }, "--facets with --watch works with -o json, yaml and ndjson"],
  [{ explain: true, format: "csv" }, "--explain does not work with -o csv; use -o table, json or yaml"],
])("[CL22] %j is refused without a call", async (wanted, sentence) => {
  const { code, message } = await runQuery({}, wanted);
  expect([code, message]).toEqual(["INVALID_ARGUMENT", sentence]);
});
