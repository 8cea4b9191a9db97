// SPDX-License-Identifier: Apache-2.0
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { parseDurationMs } from "../../base/units.ts";
import { QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import { isAboutPast } from "../../index/language/find-moment.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { createProgress } from "../output/progress.ts";
import { withQueryEcho } from "./query-echo.ts";
import { queryAt } from "./query-text.ts";

/** A moment as an option has it, in the query language: a duration such as `10m` is the time before now. */
export function toMomentText(option: string): string {
  try {
    parseDurationMs(option);
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return option;
  }
  return `now-${option}`;
}

/** A query, and the moment of `--at` beside it; "" for none. */
export interface MomentQuery {
  readonly query: string;
  readonly at: string;
}

/**
 * The query as of the moment of `--at`. If it asks for a past moment, the hub loads the rows of that moment first, and
 * standard error has the progress. All later calls are then about the same moment.
 */
export async function loadMoment(call: HubCall, { query, at }: MomentQuery): Promise<string> {
  const text = queryAt(query, at === "" ? "" : toMomentText(at));
  if (!isAboutPast(text)) return text;
  const { from } = await loadPast(call, { query: text, from: "", to: "" });
  return at === "" || from === undefined ? text : queryAt(query, toIsoText(from));
}

/** The moments that were loaded. */
export interface LoadedMoments {
  readonly from: Timestamp | undefined;
  readonly to: Timestamp | undefined;
}

/** Has the hub load the rows of past moments, with a progress line if standard error is a terminal (CL18). */
export async function loadPast(
  { io, transport, signal }: HubCall,
  request: { readonly query: string; readonly from: string; readonly to: string },
): Promise<LoadedMoments> {
  const progress = createProgress(io, "text");
  const client = createClient(QueryService, transport);
  let loaded: LoadedMoments = { from: undefined, to: undefined };
  try {
    await withQueryEcho(request.query, async () => {
      for await (const { readCount, clusterCount, from, to } of client.loadPast(request, { signal })) {
        loaded = { from, to };
        progress.show(`reading history: ${readCount} of ${clusterCount} clusters`);
      }
    });
  } finally {
    progress.clear();
  }
  return loaded;
}

export function toIsoText(at: Timestamp): string {
  return new Date(timestampMs(at)).toISOString();
}
