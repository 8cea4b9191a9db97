// SPDX-License-Identifier: Apache-2.0
// Evaluates one standing query and sends its deliveries, one step after another: the state decides each step.
import { isCancellation, throwIfAborted, untilAborted } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import { runTogether } from "../../base/run-together.ts";
import { retry } from "../../base/time/retry.ts";
import { createSubject } from "../../model/subject.ts";
import { maxQueryRows } from "../rows/fleet-queries.ts";
import { type AccessMarks, marksOfClusters } from "./delivery-access.ts";
import { type DeliveryContent, toDeliveryBody } from "./delivery-body.ts";
import { MembersEvaluation } from "./evaluate-members.ts";
import { readTotal, type ViewerQueries } from "./read-members.ts";
import { sendDelivery } from "./send-delivery.ts";
import { StandingHalts } from "./standing-halts.ts";
import type { StandingQueryPorts } from "./standing-query-ports.ts";
import type { StandingQueryRecord, StandingThreshold } from "./standing-query-record.ts";
import type { StandingQueryState } from "./standing-query-state.ts";
import type { StandingStateStore, StateWrite } from "./standing-state-store.ts";
import { stepThreshold } from "./step-threshold.ts";

/** After a change, an evaluation follows within this time: changes come in bursts. */
const evaluationGapMs = 5_000;

/** Without a notified change, a query is evaluated this often: the owner may have lost a right. */
const pollMs = 60_000;

const watchBackoff = { firstMs: 1_000, factor: 2, capMs: pollMs, stableMs: 10_000 };

/** Runs one definition. A changed definition is run by another runner. */
export class StandingQueryRunner {
  readonly #record: StandingQueryRecord;
  readonly #states: StandingStateStore;
  readonly #ports: StandingQueryPorts;
  readonly #halts: StandingHalts;
  /** As the owner. */
  readonly #queries: ViewerQueries;
  readonly #wakeUp = new WakeUp();
  readonly #members = new MembersEvaluation();
  /** On the monotonic clock. */
  #evaluatedAtMs = Number.NEGATIVE_INFINITY;
  #deliveredAtMs = Number.NEGATIVE_INFINITY;
  #totalWrittenAtMs = Number.NEGATIVE_INFINITY;
  #thresholdSinceMs: number | undefined;
  #dueMs: number | undefined;

  constructor(record: StandingQueryRecord, states: StandingStateStore, ports: StandingQueryPorts) {
    this.#record = record;
    this.#states = states;
    this.#ports = ports;
    this.#halts = new StandingHalts(record, states, ports);
    this.#queries = ports.queriesOf(createSubject(record.owner));
  }

  /**
   * Runs until the signal aborts, then throws its reason. Throws FENCED if the definition has changed or the lease is
   * lost.
   */
  async run(signal: AbortSignal): Promise<void> {
    await this.#states.load();
    this.#deliveredAtMs = this.#lastDeliveryMs();
    if (!this.#halts.isHalted) await runTogether([(both) => this.#watch(both), (both) => this.#runSteps(both)], signal);
    await untilAborted(signal);
  }

  /** Ends when the query is suspended or dead. */
  async #runSteps(signal: AbortSignal): Promise<void> {
    while (!this.#halts.isHalted) {
      if (this.#states.state.pending !== undefined) {
        const { deliveredCount } = this.#states.state;
        await sendDelivery(
          {
            record: this.#record,
            states: this.#states,
            ports: this.#ports,
            halts: this.#halts,
            queries: this.#queries,
          },
          signal,
        );
        // A delivery that was withdrawn is evaluated anew.
        if (this.#states.state.deliveredCount > deliveredCount) this.#deliveredAtMs = this.#ports.clock.nowMs();
        else this.#wakeUp.wake();
      } else {
        await this.#untilDue(signal);
        await this.#ports.schedule(() => this.#evaluate(signal));
      }
    }
  }

  /** The interval goes on over a restart of the hub; the wall clock of another hub is trusted for one interval. */
  #lastDeliveryMs(): number {
    const { clock } = this.#ports;
    const { deliveredAtMs } = this.#states.state;
    if (deliveredAtMs === 0) return Number.NEGATIVE_INFINITY;
    return clock.nowMs() - Math.max(0, clock.wallMs() - deliveredAtMs);
  }

  /** Waits for a change, the poll or the time of a threshold, and at least until the next delivery is allowed. */
  async #untilDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const isFirst = this.#evaluatedAtMs === Number.NEGATIVE_INFINITY;
    const latestMs = Math.min(this.#evaluatedAtMs + pollMs, this.#dueMs ?? Number.POSITIVE_INFINITY);
    if (!isFirst) await this.#wakeUp.waitAtMost(clock, Math.max(0, latestMs - clock.nowMs()), signal);
    const soonestMs = Math.min(this.#evaluatedAtMs + evaluationGapMs, this.#dueMs ?? Number.POSITIVE_INFINITY);
    const waitMs = Math.max(soonestMs, this.#deliveredAtMs + this.#record.intervalMs) - clock.nowMs();
    if (waitMs > 0) await clock.sleep(waitMs, signal);
  }

  /** Wakes the evaluation at each update of the live view. Its rows are not used: a list decides (SQ11). */
  #watch(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#ports;
    const limit = this.#record.condition.on === "threshold" ? 0 : maxQueryRows;
    const follow = async (inner: AbortSignal, markHealthy: () => void): Promise<never> => {
      try {
        const view = { text: this.#record.query, limit, sort: [], facets: [], position: "" };
        for await (const update of this.#queries.watch(view, inner)) {
          markHealthy();
          if (update !== "unchanged") this.#wakeUp.wake();
        }
      } catch (reason) {
        if (isCancellation(inner, reason) || !(reason instanceof FlotillaError)) throw reason;
        throw new FlotillaError("UNAVAILABLE", "the live view of a standing query ended", { cause: reason });
      }
      throwIfAborted(inner);
      throw new FlotillaError("UNAVAILABLE", "the live view of a standing query ended");
    };
    return retry(follow, { what: "watching a standing query", clock, random, log, backoff: watchBackoff }, signal);
  }

  async #evaluate(signal: AbortSignal): Promise<void> {
    const { clock, counters } = this.#ports;
    throwIfAborted(signal);
    this.#evaluatedAtMs = clock.nowMs();
    this.#dueMs = undefined;
    try {
      if (await this.#halts.suspendIfInvalid()) return;
      const { condition } = this.#record;
      if (condition.on === "threshold") await this.#evaluateThreshold(condition, signal);
      else await this.#evaluateMembers(condition.on, signal);
      counters.evaluations.add({ outcome: "ok" });
    } catch (reason) {
      if (isCancellation(signal, reason) || !isFault(reason)) throw reason;
      counters.evaluations.add({ outcome: "failed" });
      if (reason.code === "PERMISSION_DENIED") return this.#halts.halt("suspended", reason.message);
      // Nothing is concluded from a failed evaluation: the members stay, and the next evaluation compares again.
      if (this.#states.state.fault !== reason.message) await this.#states.write({ fault: reason.message });
    }
  }

  async #evaluateMembers(on: "enter" | "leave" | "enterOrLeave", signal: AbortSignal): Promise<void> {
    const { known } = this.#states.state;
    const before = known?.isExact === true ? await this.#states.loadMembers() : new Set<string>();
    const access = await this.#queries.accessMarks();
    const result = await this.#members.evaluate(
      {
        access,
        queries: this.#queries,
        text: this.#record.query,
        stored: { known, members: before },
        unreadClusters: this.#ports.unreadClusters,
      },
      signal,
    );
    if (result === undefined) return this.#write({});
    const { changes, members: after, clusters } = result;
    if (known !== undefined && changes === undefined && result.known.isExact === known.isExact) return this.#write({});
    const content = changes === undefined ? undefined : reported(on, changes);
    const evaluated = content && { content, access: marksOfClusters(access, clusters) };
    await this.#write({ known: result.known }, evaluated, { members: { before, after } });
  }

  async #evaluateThreshold(threshold: StandingThreshold, signal: AbortSignal): Promise<void> {
    const { clock, unreadClusters } = this.#ports;
    const { isFiring, known } = this.#states.state;
    const unreadBefore = unreadClusters();
    const access = await this.#queries.accessMarks();
    const { total, clusters } = await readTotal(this.#queries, this.#record.query, signal);
    const unread = unreadBefore.union(unreadClusters());
    const isComplete = !clusters.some((cluster) => unread.has(cluster));
    const state = { isFiring, sinceMs: this.#thresholdSinceMs };
    const step = stepThreshold(state, { total, isComplete, nowMs: clock.nowMs() }, threshold);
    this.#thresholdSinceMs = step.state.sinceMs;
    this.#dueMs = step.dueMs;
    const content = step.report && { kind: step.report, total, isExact: true };
    // The stored total is for display: it is written with a report, and else once per poll.
    const isShown = content !== undefined || clock.nowMs() - this.#totalWrittenAtMs >= pollMs;
    const change = known?.total === total || !isShown ? {} : { known: { total, isExact: false } };
    if (change.known !== undefined) this.#totalWrittenAtMs = clock.nowMs();
    const evaluated = content && { content, access: marksOfClusters(access, clusters) };
    await this.#write({ ...change, isFiring: step.state.isFiring }, evaluated);
  }

  /** Stores the change and with it a delivery of the content. Writes nothing if nothing has changed. */
  async #write(
    change: Partial<Pick<StandingQueryState, "known" | "isFiring">>,
    evaluated?: { readonly content: DeliveryContent; readonly access: AccessMarks },
    also: StateWrite = {},
  ): Promise<void> {
    const { state } = this.#states;
    const isChanged =
      evaluated !== undefined ||
      state.fault !== "" ||
      change.known !== undefined ||
      (change.isFiring ?? state.isFiring) !== state.isFiring;
    if (!isChanged) return;
    const next = { ...change, fault: "" };
    if (evaluated === undefined) return this.#states.write(next, also);
    const { clock, random } = this.#ports;
    const id = createId("dlv", random);
    const body = toDeliveryBody({ id, atMs: clock.wallMs() }, this.#record, evaluated.content);
    const before = { known: state.known, isFiring: state.isFiring };
    const attempts = { failedAttemptCount: 0, failedForMs: 0, error: "", attemptedAtMs: 0 };
    const pending = { id, ...attempts, access: evaluated.access, before };
    await this.#states.write({ ...next, pending }, { ...also, body });
  }
}

/** The part of the changes that the condition asks for; undefined if it is empty. */
function reported(
  on: "enter" | "leave" | "enterOrLeave",
  { entered, left, ...rest }: Omit<DeliveryContent, "kind">,
): DeliveryContent | undefined {
  const hasEntered = on !== "leave" && entered !== undefined && entered.count > 0;
  const hasLeft = on !== "enter" && left !== undefined && left.count > 0;
  if (!hasEntered && !hasLeft) return undefined;
  return { kind: "changed", ...rest, ...(hasEntered ? { entered } : {}), ...(hasLeft ? { left } : {}) };
}

/** A failure after which this runner may still write. */
function isFault(reason: unknown): reason is FlotillaError {
  return reason instanceof FlotillaError && reason.code !== "FENCED";
}
