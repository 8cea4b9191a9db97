// SPDX-License-Identifier: Apache-2.0
// Tasks that run once per fleet, even if several hubs share its stores. The hub that holds the lease runs them (ST44).
import { isCancellation, throwIfAborted } from "../base/abort.ts";
import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import { runTogether } from "../base/run-together.ts";
import type { Clock } from "../base/time/clock.ts";
import { withDeadline } from "../base/time/deadline.ts";
import type { Fence, LeaseOutcome, Store } from "../store/store.ts";

/** The lease while this hub holds it. */
export interface HeldLease {
  /** Fences commits: the store refuses a write from a hub that has lost the lease (ST26). */
  readonly fence: Fence;
  /** Aborts when the lease is lost or the hub stops. */
  readonly signal: AbortSignal;
}

/** One task. It runs until the signal aborts, then throws its reason. It handles transient failures itself. */
export type FleetTask = (held: HeldLease) => Promise<void>;

export interface FleetTasksOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Identifies this hub among the hubs on the store. Unchanged by a restart; contains no spaces. */
  readonly hubId: string;
  /** Identifies this run of the hub. */
  readonly runId: string;
  /** The name of the lease. Tasks under another name may run at another hub. Default: `fleet-tasks`. */
  readonly leaseName?: string;
  /** How long the lease is held without renewal. Default: `defaultTaskLeaseMs`. */
  readonly leaseMs?: number;
}

/**
 * The tasks of a hub that died pause for this long. The lease is renewed, with a durable write, every third of this.
 */
export const defaultTaskLeaseMs = 30_000;

const defaultLeaseName = "fleet-tasks";

/**
 * Runs the tasks while this hub holds the lease, until the signal aborts. Then releases the lease and throws the
 * signal's reason.
 */
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

/** Runs the tasks until the lease is lost or the signal aborts. Resolves only after all aborted tasks have ended. */
async function runHeld(tasks: readonly FleetTask[], lease: TaskLease, held: Held, signal: AbortSignal): Promise<void> {
  const fence = { lease: lease.name, epoch: held.epoch };
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
  readonly name: string;
  readonly #options: FleetTasksOptions;
  readonly #holder: string;
  readonly #leaseMs: number;

  constructor(options: FleetTasksOptions) {
    this.name = options.leaseName ?? defaultLeaseName;
    this.#options = options;
    this.#holder = `${options.hubId} ${options.runId}`;
    this.#leaseMs = options.leaseMs ?? defaultTaskLeaseMs;
  }

  /** The time between two attempts to acquire the lease, and between two renewals. */
  get retryMs(): number {
    return this.#leaseMs / 3;
  }

  /** Returns undefined while another hub holds the lease or the store does not answer. Throws the signal's reason. */
  async acquire(signal: AbortSignal): Promise<Held | undefined> {
    const { log, hubId } = this.#options;
    try {
      const first = await this.#ask(this.#leaseMs, signal);
      if (first.outcome.kind === "held") return first.held;
      // The holder is an earlier run of this hub. It has ended, or it is fenced from here on.
      if (!first.outcome.holder.startsWith(`${hubId} `)) return undefined;
      await this.#options.store.leases.release(this.name, first.outcome.holder);
      return (await this.#ask(this.#leaseMs, signal)).held;
    } catch (reason) {
      if (isCancellation(signal, reason)) throw reason;
      log.warn("the lease of the fleet's tasks could not be acquired", {}, reason);
      return undefined;
    }
  }

  /**
   * Renews the lease. Resolves as soon as the lease is lost, at the latest when it expires. Throws the signal's reason.
   */
  async keep(held: Held, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let { untilMs } = held;
    for (;;) {
      await clock.sleep(Math.max(0, Math.min(this.retryMs, untilMs - clock.nowMs())), signal);
      const leftMs = untilMs - clock.nowMs();
      if (leftMs <= 0) {
        log.warn("the lease of the fleet's tasks expired: the store did not answer in time", {});
        return;
      }
      try {
        const { held: renewed } = await this.#ask(leftMs, signal);
        if (renewed?.epoch !== held.epoch) {
          log.info("another hub has acquired the lease of the fleet's tasks", {});
          return;
        }
        ({ untilMs } = renewed);
      } catch (reason) {
        if (isCancellation(signal, reason)) throw reason;
        log.warn("the lease of the fleet's tasks could not be renewed", {}, reason);
      }
    }
  }

  /** Best effort: a lease that is not released expires. */
  async release(): Promise<void> {
    try {
      await this.#options.store.leases.release(this.name, this.#holder);
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      this.#options.log.debug("the lease of the fleet's tasks was not released", { code: reason.code });
    }
  }

  /** The expiry counts from before the request, so this hub stops before the lease expires in the store. */
  async #ask(
    limitMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: LeaseOutcome; readonly held: Held | undefined }> {
    const { clock, store } = this.#options;
    const askedAtMs = clock.nowMs();
    const outcome = await withDeadline(() => store.leases.acquire(this.name, this.#holder, this.#leaseMs), {
      clock,
      limitMs,
      what: "the answer of the store",
      signal,
    });
    const held = outcome.kind === "held" ? { epoch: outcome.epoch, untilMs: askedAtMs + this.#leaseMs } : undefined;
    return { outcome, held };
  }
}
