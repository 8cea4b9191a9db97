// SPDX-License-Identifier: Apache-2.0
// Work that is done once for the whole fleet, however many hubs share its stores: the hub that holds one lease does it (ST44).
import { isCancellation, throwIfAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";
import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import { runTogether } from "../base/run-together.ts";
import type { Fence, LeaseOutcome, Store } from "../store/store.ts";

/** The lease while this hub holds it. */
export interface HeldLease {
  /** For commits: what a hub that has lost the lease still writes is refused (ST26). */
  readonly fence: Fence;
  /** Aborts when the lease is lost or the hub stops. */
  readonly signal: AbortSignal;
}

/** One piece of such work: runs until the signal aborts, then throws its reason. Rejects with nothing else that can pass. */
export type FleetTask = (held: HeldLease) => Promise<void>;

export interface FleetTasksOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Which of the hubs on the store this is: the same after a restart, without spaces. */
  readonly hubId: string;
  /** Names this run of the hub. */
  readonly runId: string;
  /** How long the lease is held without renewal; `defaultTaskLeaseMs` where left out. */
  readonly leaseMs?: number;
}

/** How long the work of a hub that died is left undone. Each renewal is a durable write, every third of it. */
export const defaultTaskLeaseMs = 30_000;

const leaseName = "fleet-tasks";

/** Runs the tasks whenever this hub holds the lease, until the signal aborts; then it gives the lease back and throws the signal's reason. */
export async function runFleetTasks(
  tasks: readonly FleetTask[],
  options: FleetTasksOptions,
  signal: AbortSignal,
): Promise<void> {
  const lease = new TaskLease(options);
  try {
    for (;;) {
      const held = await lease.acquire(signal);
      if (held !== undefined) await runHeld(tasks, lease, held, signal);
      throwIfAborted(signal);
      await options.clock.sleep(lease.retryMs, signal);
    }
  } finally {
    await lease.release();
  }
}

/** Runs the tasks until the lease is lost or the signal aborts. Tasks that are aborted are waited for. */
async function runHeld(tasks: readonly FleetTask[], lease: TaskLease, held: Held, signal: AbortSignal): Promise<void> {
  const fence = { lease: leaseName, epoch: held.epoch };
  await runTogether(
    [(both) => lease.keep(held, both), ...tasks.map((task) => (both: AbortSignal) => task({ fence, signal: both }))],
    signal,
  );
}

interface Held {
  readonly epoch: bigint;
  /** On this hub's clock: the lease is held at least until then. */
  readonly untilMs: number;
}

class TaskLease {
  readonly #options: FleetTasksOptions;
  readonly #holder: string;
  readonly #leaseMs: number;

  constructor(options: FleetTasksOptions) {
    this.#options = options;
    this.#holder = `${options.hubId} ${options.runId}`;
    this.#leaseMs = options.leaseMs ?? defaultTaskLeaseMs;
  }

  /** Between two tries, and between two renewals. */
  get retryMs(): number {
    return this.#leaseMs / 3;
  }

  /** Undefined while another hub has it, or the store does not answer. Throws the signal's reason. */
  async acquire(signal: AbortSignal): Promise<Held | undefined> {
    const { log, hubId } = this.#options;
    try {
      const first = await this.#ask(this.#leaseMs, signal);
      if (first.outcome.kind === "held") return first.held;
      // An earlier run of this same hub: it is over, or is fenced from here on.
      if (!first.outcome.holder.startsWith(`${hubId} `)) return undefined;
      await this.#options.store.leases.release(leaseName, first.outcome.holder);
      return (await this.#ask(this.#leaseMs, signal)).held;
    } catch (reason) {
      if (isCancellation(signal, reason)) throw reason;
      log.warn("the lease of the fleet's tasks could not be acquired", {}, reason);
      return undefined;
    }
  }

  /** Renews the lease; resolves as soon as it is lost, at the latest when it runs out. Throws the signal's reason. */
  async keep(held: Held, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let { untilMs } = held;
    for (;;) {
      await clock.sleep(Math.max(0, Math.min(this.retryMs, untilMs - clock.nowMs())), signal);
      const leftMs = untilMs - clock.nowMs();
      if (leftMs <= 0) {
        log.warn("the lease of the fleet's tasks ran out: the store did not answer in time", {});
        return;
      }
      try {
        const { held: renewed } = await this.#ask(leftMs, signal);
        if (renewed?.epoch !== held.epoch) {
          log.info("another hub has taken the fleet's tasks over", {});
          return;
        }
        ({ untilMs } = renewed);
      } catch (reason) {
        if (isCancellation(signal, reason)) throw reason;
        log.warn("the lease of the fleet's tasks could not be renewed", {}, reason);
      }
    }
  }

  /** Best effort: a lease that stays runs out. */
  async release(): Promise<void> {
    try {
      await this.#options.store.leases.release(leaseName, this.#holder);
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      this.#options.log.debug("the lease of the fleet's tasks was not given back", { code: reason.code });
    }
  }

  /** The time counts from before the question: the store's clock began later. */
  async #ask(
    limitMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: LeaseOutcome; readonly held: Held | undefined }> {
    const { clock, store } = this.#options;
    const askedAtMs = clock.nowMs();
    const outcome = await withDeadline(() => store.leases.acquire(leaseName, this.#holder, this.#leaseMs), {
      clock,
      limitMs,
      what: "the answer of the store",
      signal,
    });
    const held = outcome.kind === "held" ? { epoch: outcome.epoch, untilMs: askedAtMs + this.#leaseMs } : undefined;
    return { outcome, held };
  }
}
