// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../base/error.ts";
import { TokenService, type WatchTokensResponse } from "../gen/flotilla/admin/v1/admin_pb.ts";
import type { HubCall } from "./hub-call.ts";
import { say } from "./io.ts";
import { printOneOfMany } from "./output.ts";
import { toTerminalText } from "./terminal-text.ts";
import { toTokenObject, toWatchedTokenRow } from "./token-view.ts";

/**
 * Prints every token, then each change as it comes, until the signal aborts. A hub that ends the watch is a failure
 * (UNAVAILABLE), since silence would pass for "nothing changes"; the sentence has the cursor to go on from.
 */
export async function watchTokens(call: HubCall, cursor: string): Promise<void> {
  const { transport, io, output, signal } = call;
  let last = cursor;
  try {
    for await (const message of createClient(TokenService, transport).watchTokens({ cursor }, { signal })) {
      last = message.cursor;
      const value = toObject(message);
      if (value === undefined) continue;
      const text = toText(message, io.now());
      await printOneOfMany(io.stdout, output, { value, text });
      const isSnapshotEnd = message.event.case === "bookmark" && message.event.value.snapshotComplete;
      if (isSnapshotEnd && output === "text") say(io, "these are all tokens; changes follow");
    }
  } catch (reason) {
    if (signal.aborted) return;
    throw reason;
  }
  if (signal.aborted) return;
  const resume = last === "" ? "" : `; go on with --cursor ${toTerminalText(last)}`;
  throw new FlotillaError("UNAVAILABLE", `the hub ended the watch${resume}`);
}

/** Undefined for an event of a newer hub that this build does not know. */
function toObject({ event, cursor }: WatchTokensResponse): JsonObject | undefined {
  switch (event.case) {
    case "upserted":
      return { type: "upserted", token: toTokenObject(event.value), cursor };
    case "deleted":
      return { type: "deleted", id: event.value, cursor };
    case "bookmark":
      return { type: "bookmark", snapshotComplete: event.value.snapshotComplete, cursor };
    case undefined:
      return undefined;
  }
}

function toText({ event }: WatchTokensResponse, nowMs: number): string {
  switch (event.case) {
    case "upserted":
      return `upserted  ${toWatchedTokenRow(event.value, nowMs).map(toTerminalText).join("  ").trimEnd()}\n`;
    case "deleted":
      return `deleted   ${toTerminalText(event.value)}\n`;
    case "bookmark":
    case undefined:
      return "";
  }
}
