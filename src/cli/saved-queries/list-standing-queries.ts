// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { SavedQueryService } from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { renderTable } from "../output/text-table.ts";
import { requireAnswer } from "./saved-query-view.ts";
import { standingColumns, toStandingLines, toStandingObject, toStandingRow } from "./standing-query-view.ts";

/** Names a standing query. */
export interface StandingQueryChoice {
  readonly name: string;
  /** "" = the user. */
  readonly owner: string;
}

/** Prints the standing queries of the user, or of all users. */
export async function listStandingQueries(
  { transport, io, output, signal }: HubCall,
  { allOwners }: { readonly allOwners: boolean },
): Promise<void> {
  const client = createClient(SavedQueryService, transport);
  const { standingQueries } = await client.listStandingQueries({ allOwners }, { signal });
  const rows = standingQueries.map((query) => toStandingRow(query, io.now()));
  const text = rows.length === 0 ? "no standing queries\n" : renderTable(standingColumns, rows);
  await printResult(io.stdout, output, { value: { standingQueries: standingQueries.map(toStandingObject) }, text });
}

/** Prints one standing query with its state. */
export async function getStandingQuery(
  { transport, io, output, signal }: HubCall,
  choice: StandingQueryChoice,
): Promise<void> {
  const answer = await createClient(SavedQueryService, transport).getStandingQuery({ ...choice }, { signal });
  const query = requireAnswer(answer.standingQuery);
  const [first = ["", ""], ...rest] = toStandingLines(query, io.now());
  await printResult(io.stdout, output, { value: toStandingObject(query), text: renderTable(first, rest) });
}
