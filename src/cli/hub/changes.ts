// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { hasCode } from "../../base/error.ts";
import { type Change, ChangeSchema, RowService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { say } from "../output/io.ts";
import { printOneOfMany } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { formatRelative } from "../output/relative-time.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { type FollowCall, followHub } from "./follow-hub.ts";

/** Filter of the change feed. */
export interface ChangesWanted {
  /** Empty = all. */
  readonly clusters: readonly string[];
  /** Kinds by any name that kubectl accepts (CL3); empty = all. */
  readonly kinds: readonly string[];
  /** "" = from the oldest change that is kept; with `follow`, from now on. */
  readonly position: string;
  readonly follow: boolean;
}

/**
 * Prints changes of rows in the order in which they became visible. With `follow` it continues until the signal aborts,
 * across restarts of the hub (CL2). Throws GONE if the hub no longer has the given position.
 */
export async function showChanges(call: FollowCall, wanted: ChangesWanted): Promise<void> {
  const { io, signal } = call;
  let position = wanted.position;
  let heardMs: number | undefined;
  let gonePosition: string | undefined;
  const read = async (isOnce: boolean): Promise<void> => {
    const request = { clusterIds: [...wanted.clusters], resources: [...wanted.kinds], position, isOnce };
    for await (const message of createClient(RowService, call.transport).watchChanges(request, { signal })) {
      if (gonePosition !== undefined) say(io, missedSentence(gonePosition, message.position, heardMs ?? 0, io.now()));
      gonePosition = undefined;
      heardMs = io.now();
      position = message.position;
      for (const change of message.changes) await printChange(call, change, position);
    }
  };
  if (!wanted.follow) return read(true);
  await followHub(call, async () => {
    try {
      await read(false);
    } catch (reason) {
      if (heardMs === undefined || !hasCode(reason, "GONE")) throw reason;
      gonePosition = position;
      position = "";
      await read(true);
      await read(false);
    }
  });
}

/**
 * Describes the gap after a position that the hub no longer has (CL23). A restarted hub has a new feed: changes that
 * the earlier hub received and did not send are in neither. In the same feed changes were certainly dropped.
 */
function missedSentence(gone: string, present: string, heardMs: number, nowMs: number): string {
  const between = `between ${toTimeText(heardMs)} and ${toTimeText(nowMs)}`;
  return feedOf(gone) === feedOf(present)
    ? `changes ${between} were missed, because the hub keeps a limited number; the oldest that it has follow`
    : `the hub was restarted: changes ${between} may be missing; those since its start follow`;
}

/** The part of a position that identifies the hub process. */
function feedOf(position: string): string {
  return position.slice(0, Math.max(0, position.lastIndexOf(".")));
}

function toTimeText(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z");
}

async function printChange({ io, output }: FollowCall, change: Change, position: string): Promise<void> {
  const value = { ...toPlainJson(ChangeSchema, change), position };
  await printOneOfMany(io.stdout, output, { value, text: lineOf(change, io.now()) });
}

function lineOf({ what, clusterId, resource, namespace, name, status, receivedAt }: Change, nowMs: number): string {
  const when = receivedAt === undefined ? "" : formatRelative(timestampMs(receivedAt), nowMs);
  const key = [namespace, name].filter((each) => each !== "").join("/");
  return `${toTerminalText([what, clusterId, resource, key, status, when].join("  ").trimEnd())}\n`;
}
