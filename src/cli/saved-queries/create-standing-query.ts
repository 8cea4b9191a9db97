// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { SavedQueryService } from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { withQueryEcho } from "../query/query-echo.ts";
import { refuseOption } from "../query/query-format.ts";
import { requireAnswer } from "./saved-query-view.ts";
import { toConditionText, toStandingObject } from "./standing-query-view.ts";

/** The standing query to create, or what it is to be after an update. */
export interface StandingQueryWanted {
  readonly name: string;
  readonly query: string;
  readonly description: string;
  readonly on: "enter" | "leave" | "enterOrLeave" | "threshold";
  readonly above: number | undefined;
  /** Undefined: the same as `above`. */
  readonly clearAt: number | undefined;
  readonly forMs: number;
  readonly receiver: string;
  /** Undefined: the hub creates one at creation, and keeps it in an update. */
  readonly secret: string | undefined;
  readonly intervalMs: number;
}

/**
 * Creates a standing query. In text format a secret that the hub created goes to standard output, alone, for scripts;
 * it cannot be shown again.
 */
export async function createStandingQuery(call: HubCall, wanted: StandingQueryWanted): Promise<void> {
  const { transport, io, output, signal } = call;
  const client = createClient(SavedQueryService, transport);
  const request = requestOf(wanted);
  const answer = await withQueryEcho(wanted.query, () => client.createStandingQuery(request, { signal }));
  const created = requireAnswer(answer.standingQuery);
  const { secret } = answer;
  if (output === "text") {
    const shown = secret === "" ? "" : "; its signing secret is shown only this once";
    say(io, toTerminalText(`standing query ${created.name} on ${toConditionText(created.condition)}${shown}`));
  }
  const value = { standingQuery: toStandingObject(created), ...(secret === "" ? {} : { secret }) };
  await printResult(io.stdout, output, { value, text: secret === "" ? "" : `${toTerminalText(secret)}\n` });
}

/** Replaces a standing query of the caller. Throws CONFLICT if it changes between the read and the write (SQ16). */
export async function updateStandingQuery(call: HubCall, wanted: StandingQueryWanted): Promise<void> {
  const { transport, io, output, signal } = call;
  const client = createClient(SavedQueryService, transport);
  const request = requestOf(wanted);
  const before = await client.getStandingQuery({ name: wanted.name }, { signal });
  const { revision } = requireAnswer(before.standingQuery);
  const answer = await withQueryEcho(wanted.query, () =>
    client.updateStandingQuery({ ...request, revision }, { signal }),
  );
  const updated = requireAnswer(answer.standingQuery);
  const text = toTerminalText(`standing query ${updated.name} on ${toConditionText(updated.condition)}`);
  await printResult(io.stdout, output, { value: toStandingObject(updated), text: `${text}\n` });
}

function requestOf(wanted: StandingQueryWanted) {
  const { name, query, description, receiver: webhookUrl, secret = "" } = wanted;
  const intervalSeconds = Math.ceil(wanted.intervalMs / 1_000);
  return { name, query, description, webhookUrl, secret, condition: conditionOf(wanted), intervalSeconds };
}

/** An option that does not belong to the condition is refused, never ignored (CL22). */
function conditionOf({ on, above, clearAt, forMs }: StandingQueryWanted) {
  const hasThreshold = above !== undefined || clearAt !== undefined || forMs > 0;
  if (on !== "threshold") {
    if (hasThreshold) refuseOption("--above, --clear-at and --for work only with --on threshold");
    return { on };
  }
  if (above === undefined) return refuseOption("--on threshold needs --above, the most rows that are in order");
  const threshold = { above: BigInt(above), forSeconds: Math.ceil(forMs / 1_000) };
  return { on, threshold: { ...threshold, ...(clearAt === undefined ? {} : { clearAt: BigInt(clearAt) }) } };
}
