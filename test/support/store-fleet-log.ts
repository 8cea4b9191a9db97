// SPDX-License-Identifier: Apache-2.0
// Ways to open a fleet log in tests, and short ways to write to it and read it back.

import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { type Clock, sleepOn } from "../../src/base/time/clock.ts";
import type {
  AppendOutcome,
  FleetLog,
  FleetLogEngine,
  Flush,
  FlushPart,
  LoadRequest,
} from "../../src/store/fleet-log/fleet-log.ts";
import { SqliteFleetLog } from "../../src/store/fleet-log/sqlite-fleet-log.ts";
import { MemoryFleetLog } from "../../src/store/testing/memory-fleet-log.ts";
import { openScratch } from "./store-under-test.ts";

/** A clock whose wall time the test sets, forward and back; nothing in the log waits. */
export class SettableClock implements Clock {
  wall = 1_800_000_000_000;

  nowMs(): number {
    return 0;
  }

  wallMs(): number {
    return this.wall;
  }

  setTimer(): () => void {
    throw new Error("the fleet log sets no timer");
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }
}

export interface LogUnderTest extends AsyncDisposable {
  readonly log: FleetLog;
  readonly clock: SettableClock;
  /** Closes the log and opens it again. Undefined where it ends with its engine. */
  readonly reopen?: () => Promise<FleetLog>;
}

export type OpenLog = () => Promise<LogUnderTest>;

export async function openMemoryLog(): Promise<LogUnderTest> {
  const clock = new SettableClock();
  const log = createInThreadPort<FleetLogEngine>(new MemoryFleetLog({ clock }));
  return { log, clock, [Symbol.asyncDispose]: () => log.close() };
}

export async function openSqliteLog(): Promise<LogUnderTest> {
  const scratch = openScratch();
  const clock = new SettableClock();
  const open = (): FleetLog =>
    createInThreadPort<FleetLogEngine>(new SqliteFleetLog({ file: scratch.path("fleet.db"), clock }));
  let log = open();
  return {
    log,
    clock,
    async reopen() {
      await log.close();
      log = open();
      return log;
    },
    async [Symbol.asyncDispose]() {
      await log.close();
      scratch[Symbol.dispose]();
    },
  };
}

/** Two logs on one history, as two processes have them. */
export interface SharedLog extends AsyncDisposable {
  readonly one: FleetLog;
  readonly other: FleetLog;
}

export type OpenSharedLog = () => Promise<SharedLog>;

/** Two SQLite connections to one file. */
export async function openSharedSqliteLog(): Promise<SharedLog> {
  const scratch = openScratch();
  const clock = new SettableClock();
  const open = (): FleetLog =>
    createInThreadPort<FleetLogEngine>(new SqliteFleetLog({ file: scratch.path("fleet.db"), clock }));
  const [one, other] = [open(), open()];
  return {
    one,
    other,
    async [Symbol.asyncDispose]() {
      await one.close();
      await other.close();
      scratch[Symbol.dispose]();
    },
  };
}

/** One delta of pods. */
export function delta(text: string, resource = "pods"): FlushPart {
  return { resource, form: { kind: "delta" }, bytes: new TextEncoder().encode(text) };
}

/** A flush of cluster `c1` in its first incarnation, unless said otherwise. */
export function flush(seq: number, parts: readonly FlushPart[], options: Partial<Flush> = {}): Flush {
  return { cluster: "c1", shard: "", epoch: 1, incarnation: "i1", seq, parts, ...options };
}

/** Appends and insists that it was written. */
export async function append(
  log: FleetLog,
  flushed: Flush,
): Promise<Extract<AppendOutcome, { readonly kind: "appended" }>> {
  const outcome = await log.append(flushed);
  if (outcome.kind !== "appended") throw new Error(`flush ${flushed.seq} was not appended: ${outcome.kind}`);
  return outcome;
}

/** What a load gives, page by page, as `form:text`. */
export async function loadTexts(log: FleetLog, request: Partial<LoadRequest> = {}): Promise<readonly string[]> {
  const texts: string[] = [];
  let after: Partial<LoadRequest> = {};
  for (;;) {
    const page = await log.load({ cluster: "c1", resource: "pods", bytesLimit: 1_000_000, ...request, ...after });
    for (const { form, bytes } of page.segments) texts.push(`${form.kind}:${new TextDecoder().decode(bytes)}`);
    if (page.next === undefined) return texts;
    after = { after: page.next };
  }
}

/** Writes a whole checkpoint of pods of `c1` with these pieces. */
export async function writeCheckpoint(log: FleetLog, position: number, pieces: readonly string[]): Promise<number> {
  const checkpoint = await log.beginCheckpoint("c1", "pods", position);
  for (const piece of pieces) await log.addCheckpointPiece(checkpoint, new TextEncoder().encode(piece));
  await log.completeCheckpoint(checkpoint);
  return checkpoint;
}

/** Calls again for as long as there is more to remove. */
export async function retainAll(log: FleetLog, beforeMs: number): Promise<number> {
  let total = 0;
  for (let more = true; more; ) {
    const piece = await log.retain(beforeMs);
    total += piece.removed;
    more = piece.more;
  }
  return total;
}
