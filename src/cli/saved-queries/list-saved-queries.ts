// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { type SavedQuery, SavedQueryService } from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { renderTable } from "../output/text-table.ts";
import type { SavedQueryChoice } from "./save-query.ts";
import { requireAnswer, savedColumns, toSavedObject, toSavedRow } from "./saved-query-view.ts";

/** Prints the shared queries and the private ones of the user. */
export async function listSavedQueries(call: HubCall): Promise<void> {
  const { io, output } = call;
  const queries = await loadAll(call);
  const rows = queries.map((query) => toSavedRow(query, io.now()));
  const text = rows.length === 0 ? "no saved queries\n" : renderTable(savedColumns, rows);
  await printResult(io.stdout, output, { value: { savedQueries: queries.map(toSavedObject) }, text });
}

async function loadAll({ transport, signal }: HubCall): Promise<readonly SavedQuery[]> {
  const client = createClient(SavedQueryService, transport);
  const queries: SavedQuery[] = [];
  const seen = new Set<string>();
  for (let pageToken = ""; ; ) {
    const page = await client.listSavedQueries({ pageToken }, { signal });
    queries.push(...page.savedQueries);
    pageToken = page.nextPageToken;
    if (pageToken === "") return queries;
    if (seen.has(pageToken)) throw new FlotillaError("MALFORMED", "the hub sent the same page of queries twice");
    seen.add(pageToken);
  }
}

/** Prints one saved query with its view. */
export async function getSavedQuery(call: HubCall, choice: SavedQueryChoice): Promise<void> {
  const { io, output } = call;
  const query = await loadSavedQuery(call, choice);
  const { columns = [], sort = [], facets = [], groupBy = [] } = query.content ?? {};
  const lists = Object.entries({ columns, sort, facets, "group-by": groupBy })
    .filter(([, fields]) => fields.length > 0)
    .map(([name, fields]) => [name, fields.join(",")]);
  const [, owner = "", visibility = "", updated = "", text = "", description = ""] = toSavedRow(query, io.now());
  const rows = [
    ["name", query.name],
    ["owner", owner],
    ["visibility", visibility],
    ["updated", updated],
    ["query", text],
    ...lists,
    ...(description === "" ? [] : [["description", description]]),
  ];
  const [first = [], ...rest] = rows;
  await printResult(io.stdout, output, { value: toSavedObject(query), text: renderTable(first, rest) });
}

/** Reads one saved query. */
export async function loadSavedQuery(
  { transport, signal }: HubCall,
  { name, isPrivate }: SavedQueryChoice,
): Promise<SavedQuery> {
  const client = createClient(SavedQueryService, transport);
  return requireAnswer((await client.getSavedQuery({ name, isPrivate }, { signal })).savedQuery);
}
