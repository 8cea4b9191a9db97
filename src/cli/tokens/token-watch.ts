// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { hasCode } from "../../base/error.ts";
import { TokenService, type WatchTokensResponse } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { type FollowCall, followHub } from "../hub/follow-hub.ts";
import { say } from "../output/io.ts";
import { printOneOfMany } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { toTokenObject, toWatchedTokenRow } from "./token-view.ts";

/**
 * Prints every token, then each change, until the signal aborts, across restarts of the hub (CL2). If the hub no longer
 * has the position reached, all tokens are printed again. Throws GONE if it does not have the given cursor.
 */
export async function watchTokens(call: FollowCall, cursor: string): Promise<void> {
  const { transport, io, output, signal } = call;
  let position = cursor;
  let hasBegun = false;
  const read = async (): Promise<void> => {
    for await (const message of createClient(TokenService, transport).watchTokens({ cursor: position }, { signal })) {
      hasBegun = true;
      position = message.cursor;
      const value = toObject(message);
      if (value === undefined) continue;
      await printOneOfMany(io.stdout, output, { value, text: toText(message, io.now()) });
      const isSnapshotEnd = message.event.case === "bookmark" && message.event.value.snapshotComplete;
      if (isSnapshotEnd && output === "text") say(io, "these are all tokens; changes follow");
    }
  };
  await followHub(call, async () => {
    try {
      await read();
    } catch (reason) {
      if (!hasBegun || !hasCode(reason, "GONE")) throw reason;
      say(io, "the hub no longer has this position: changes were missed; all tokens follow");
      position = "";
      await read();
    }
  });
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
