// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { type SavedQuery, SavedQueryService } from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { withQueryEcho } from "../query/query-echo.ts";
import { requireAnswer, toSavedObject } from "./saved-query-view.ts";

/** Names a saved query: the shared one, or the private one of the user. */
export interface SavedQueryChoice {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** The query to save. */
export interface QueryToSave extends SavedQueryChoice {
  readonly query: string;
  readonly description: string;
  readonly columns: readonly string[];
  readonly sort: readonly string[];
  readonly facets: readonly string[];
  readonly groupBy: readonly string[];
}

/** Saves a query under a name (SQ3). A mistake in it is shown with a caret (CL36). */
export async function createSavedQuery(call: HubCall, wanted: QueryToSave): Promise<void> {
  const { name, isPrivate } = wanted;
  const client = createClient(SavedQueryService, call.transport);
  const request = { name, isPrivate, content: contentOf(wanted) };
  const { savedQuery } = await withQueryEcho(wanted.query, () =>
    client.createSavedQuery(request, { signal: call.signal }),
  );
  await print(call, requireAnswer(savedQuery), "is saved");
}

/** Replaces the content of a saved query as a whole. Another change meanwhile is a conflict (SQ4). */
export async function updateSavedQuery(call: HubCall, wanted: QueryToSave): Promise<void> {
  const { name, isPrivate } = wanted;
  const { signal } = call;
  const client = createClient(SavedQueryService, call.transport);
  const present = requireAnswer((await client.getSavedQuery({ name, isPrivate }, { signal })).savedQuery);
  const request = { name, isPrivate, content: contentOf(wanted), revision: present.revision };
  const { savedQuery } = await withQueryEcho(wanted.query, () => client.updateSavedQuery(request, { signal }));
  await print(call, requireAnswer(savedQuery), "is changed");
}

/** Deletes a saved query. `owner` names that of a private query of another user, for administrators. */
export async function deleteSavedQuery(
  { transport, io, output, signal }: HubCall,
  { name, isPrivate, owner }: SavedQueryChoice & { readonly owner: string },
): Promise<void> {
  await createClient(SavedQueryService, transport).deleteSavedQuery({ name, isPrivate, owner }, { signal });
  const text = `saved query ${toTerminalText(name)} is deleted\n`;
  await printResult(io.stdout, output, { value: { name, deleted: true }, text });
}

function contentOf({ query, description, columns, sort, facets, groupBy }: QueryToSave) {
  return { query, description, columns: [...columns], sort: [...sort], facets: [...facets], groupBy: [...groupBy] };
}

async function print({ io, output }: HubCall, query: SavedQuery, done: string): Promise<void> {
  const text = `saved query ${toTerminalText(query.name)} ${done}: ${toTerminalText(query.content?.query ?? "")}\n`;
  await printResult(io.stdout, output, { value: toSavedObject(query), text });
}
