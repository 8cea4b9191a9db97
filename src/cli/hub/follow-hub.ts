// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import { silentLogger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { retry } from "../../base/time/retry.ts";
import { SystemService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { say } from "../output/io.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import type { HubCall } from "./hub-call.ts";

/** The call of a verb that watches a hub until the user stops it. */
export interface FollowCall extends HubCall {
  readonly clock: Clock;
  readonly random: Random;
}

/** A hub restarts within seconds and the user is waiting: the first wait is at most 250 ms, later ones at most 5 s. */
const backoff = { firstMs: 250, factor: 2, capMs: 5_000, stableMs: 10_000 };

/**
 * Reads a stream of the hub again each time it ends or breaks, until the signal aborts (CL2). `read` reads the stream
 * once, from the position reached. One line on standard error reports that the hub was lost, and one that it answers
 * again. Throws if the hub cannot be reached the first time, and at once for an error that a retry cannot fix.
 */
export async function followHub(call: FollowCall, read: () => Promise<void>): Promise<void> {
  const { io, clock, random, signal } = call;
  let state: "unreached" | "reached" | "lost" = "unreached";
  const attempt = async (_signal: AbortSignal, markHealthy: () => void): Promise<FlotillaError> => {
    try {
      await createClient(SystemService, call.transport).getVersion({}, { signal });
      if (state === "lost") say(io, "the hub answers again; the watch continues");
      state = "reached";
      markHealthy();
      await read();
      throw new FlotillaError("UNAVAILABLE", "the hub ended the watch");
    } catch (reason) {
      const error = toFlotillaError(reason);
      if (signal.aborted || state === "unreached") return error;
      const isRetried = error.next === "retry" || error.next === "resume";
      if (isRetried && state === "reached") {
        say(io, toTerminalText(`the hub was lost (${error.message}); retrying until it answers, Ctrl-C stops`));
        state = "lost";
      }
      throw error;
    }
  };
  try {
    throw await retry(attempt, { what: "watch", clock, random, log: silentLogger, backoff }, signal);
  } catch (reason) {
    if (!signal.aborted) throw reason;
  }
}
