// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import type { Clock } from "../base/clock.ts";
import { FlotillaError, toFlotillaError } from "../base/error.ts";
import { silentLogger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { retry } from "../base/retry.ts";
import { SystemService } from "../gen/flotilla/admin/v1/admin_pb.ts";
import type { HubCall } from "./hub-call.ts";
import { say } from "./io.ts";
import { toTerminalText } from "./terminal-text.ts";

/** What a verb gets that watches a hub until the user stops it. */
export interface WatchCall extends HubCall {
  readonly clock: Clock;
  readonly random: Random;
}

/** A hub restarts within seconds, and a person waits for it: the first attempt comes at once, none is more than 5 s away. */
const backoff = { firstMs: 250, factor: 2, capMs: 5_000, stableMs: 10_000 };

/**
 * Reads a stream of the hub again each time it ends or breaks, until the signal aborts (CL2). `read` reads the stream once, from the
 * position that it has reached. Standard error has one line when the hub is lost and one when it answers again. Throws when the
 * hub cannot be reached the first time, and at once for a failure that another attempt cannot mend.
 */
export async function followHub(call: WatchCall, read: () => Promise<void>): Promise<void> {
  const { io, clock, random, signal } = call;
  let state: "unreached" | "reached" | "lost" = "unreached";
  const attempt = async (_signal: AbortSignal, markHealthy: () => void): Promise<FlotillaError> => {
    try {
      await createClient(SystemService, call.transport).getVersion({}, { signal });
      if (state === "lost") say(io, "the hub is back; the watch goes on");
      state = "reached";
      markHealthy();
      await read();
      throw new FlotillaError("UNAVAILABLE", "the hub ended the watch");
    } catch (reason) {
      const error = toFlotillaError(reason);
      if (signal.aborted || state === "unreached") return error;
      const isRetried = error.next === "retry" || error.next === "resume";
      if (isRetried && state === "reached") {
        say(io, toTerminalText(`the hub was lost (${error.message}); trying until it answers, Ctrl-C stops`));
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
