// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { SavedQueryService, type StandingQuery } from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import type { StandingQueryChoice } from "./list-standing-queries.ts";
import { requireAnswer } from "./saved-query-view.ts";
import { toStandingObject } from "./standing-query-view.ts";

/** Stops evaluation and deliveries until the query is resumed. */
export async function pauseStandingQuery(call: HubCall, choice: StandingQueryChoice): Promise<void> {
  const client = createClient(SavedQueryService, call.transport);
  const answer = await client.pauseStandingQuery({ ...choice }, { signal: call.signal });
  await print(call, requireAnswer(answer.standingQuery), "is paused");
}

/** Continues a paused, suspended or dead query. */
export async function resumeStandingQuery(call: HubCall, name: string): Promise<void> {
  const client = createClient(SavedQueryService, call.transport);
  const answer = await client.resumeStandingQuery({ name }, { signal: call.signal });
  await print(call, requireAnswer(answer.standingQuery), "goes on");
}

/** Deletes a standing query; a delivery that waits is not sent any more. */
export async function deleteStandingQuery(
  { transport, io, output, signal }: HubCall,
  choice: StandingQueryChoice,
): Promise<void> {
  await createClient(SavedQueryService, transport).deleteStandingQuery({ ...choice }, { signal });
  const text = `standing query ${toTerminalText(choice.name)} is deleted\n`;
  await printResult(io.stdout, output, { value: { name: choice.name, deleted: true }, text });
}

async function print({ io, output }: HubCall, query: StandingQuery, done: string): Promise<void> {
  const text = `standing query ${toTerminalText(query.name)} ${done}\n`;
  await printResult(io.stdout, output, { value: toStandingObject(query), text });
}
