// SPDX-License-Identifier: Apache-2.0
// Follows one resource: list, then watch from the list's position; poll where watch is not allowed. A failed step is
// retried, and `reflector-recovery.ts` chooses how. A scan is a list together with its retries.
import { abortReason, isCancellation, onAbort, throwIfAborted } from "../../base/abort.ts";
import { assertBackoff } from "../../base/time/backoff.ts";
import { isServerFault, KubeError } from "../kube-error.ts";
import type { ReflectorEvent } from "../reflector-event.ts";
import { recoverySpreadMs, waitForRecovery } from "../server-recovery.ts";
import { followedText } from "./kube-resource-path.ts";
import { type Listed, listOnce } from "./list-once.ts";
import { PollSchedule } from "./poll-schedule.ts";
import type { ReflectorOptions } from "./reflector-options.ts";
import { chooseRecovery, type FailedStep } from "./reflector-recovery.ts";
import { ScanAttempts } from "./scan-attempts.ts";
import { jitter } from "./sync-interval.ts";
import { type WatchEnd, watchOnce } from "./watch-once.ts";

/** A watch that ended sooner did not work, even if it ended without an error. client-go has the same bound. */
const shortestWatchMs = 1_000;

/** Wraps an error of the sink. It is not a server failure, so it ends the reflector. */
class SinkFailure extends Error {
  override readonly name = "SinkFailure";
}

function failSink(cause: unknown): never {
  throw new SinkFailure("the event sink failed", { cause });
}

/** A failed step and its error. */
interface StepFailure {
  readonly step: FailedStep;
  readonly error: KubeError;
}

/** Follows one resource; see `runReflector`. */
class Reflector {
  readonly #options: ReflectorOptions;
  readonly #attempts: ScanAttempts;
  readonly #polls: PollSchedule;
  /** The position at which a watch resumes. Undefined: a list is needed first. */
  #resourceVersion: string | undefined;
  /** The time of the last event, bookmark or end of a list. */
  #heardAtMs = 0;
  /** False for good after the server refused a WatchList. */
  #offersWatchList = true;
  /** The last WatchList fell silent or ended before it was complete. The next list is paged. */
  #avoidsWatchList = false;
  /** When the next list is due although the watch works (`--relist-interval`). */
  #relistAtMs: number | undefined;
  /** The last position was refused as too old (410), and nothing has arrived since. */
  #isExpired = false;
  /** Consecutive failures, each with an answer of the server, of a watch from the same position. */
  #answeredCount = 0;
  /** The time of the current attempt's last event, or of its start. */
  #lastEventAtMs = 0;
  /** The current attempt has emitted `current`. */
  #isCurrent = false;

  constructor(options: ReflectorOptions) {
    assertBackoff(options.settings.backoff);
    this.#options = options;
    this.#attempts = new ScanAttempts(options);
    this.#polls = new PollSchedule(options);
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      throwIfAborted(signal);
      this.#attempts.attempt();
      const failure = await this.#attempt(signal);
      if (failure === "serverRecovered") await this.#startOver(signal);
      else if (failure !== undefined) await this.#recover(failure, signal);
    }
  }

  /**
   * Makes one attempt. When the server recovers, an attempt that has had no event for a while is aborted: its request
   * was sent while the server was down and may never be answered.
   */
  async #attempt(signal: AbortSignal): Promise<StepFailure | "serverRecovered" | undefined> {
    const { clock, returns } = this.#options;
    const attempt = new AbortController();
    const unlink = onAbort(signal, () => attempt.abort(signal.reason));
    this.#lastEventAtMs = clock.nowMs();
    this.#isCurrent = false;
    const unlisten = returns?.listen(() => {
      const isSilent = clock.nowMs() - this.#lastEventAtMs >= recoverySpreadMs;
      if (isSilent && !this.#isCurrent) attempt.abort(new Error("the server recovered"));
    });
    try {
      return this.#polls.isPolling ? await this.#poll(attempt.signal) : await this.#follow(attempt.signal);
    } catch (reason) {
      if (signal.aborted || !isCancellation(attempt.signal, reason)) throw reason;
      return "serverRecovered";
    } finally {
      unlisten?.();
      unlink();
    }
  }

  async #startOver(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    this.#attempts.begin();
    await clock.sleep(recoverySpreadMs * random.next(), signal);
  }

  readonly #emit = (event: ReflectorEvent): Promise<void> | undefined => {
    this.#lastEventAtMs = this.#options.clock.nowMs();
    if (event.kind === "current") this.#isCurrent = true;
    try {
      const taken = this.#options.sink(event);
      return taken instanceof Promise ? taken.catch(failSink) : undefined;
    } catch (cause) {
      return failSink(cause);
    }
  };

  /** Lists if there is no position to resume from, then watches until the watch ends. */
  async #follow(signal: AbortSignal): Promise<StepFailure | undefined> {
    if (this.#resourceVersion === undefined && (!this.#offersWatchList || this.#avoidsWatchList)) {
      const listed = await this.#list(signal);
      if (listed instanceof KubeError) return { step: "list", error: listed };
      this.#avoidsWatchList = false;
    }
    const resourceVersion = this.#resourceVersion;
    if (resourceVersion === undefined) this.#drawRelist();
    const end = await watchOnce(
      this.#options,
      {
        from: resourceVersion === undefined ? "everything" : { resourceVersion },
        emit: this.#emit,
        heardAtMs: this.#heardAtMs,
        relistInMs:
          this.#relistAtMs === undefined ? undefined : Math.max(0, this.#relistAtMs - this.#options.clock.nowMs()),
      },
      signal,
    );
    const error = this.#learn(end);
    return error === undefined ? undefined : { step: resourceVersion === undefined ? "watchList" : "watch", error };
  }

  /** Records the result of a watch. Returns undefined if the next watch may begin at once. */
  #learn(end: WatchEnd): KubeError | undefined {
    const { resourceVersion, stoodMs = 0, error } = end;
    this.#resourceVersion = end.isRelistDue ? undefined : resourceVersion;
    if (end.heardAtMs !== undefined) {
      this.#heardAtMs = end.heardAtMs;
      this.#isExpired = false;
      this.#answeredCount = 0;
    }
    // A watch that lasted counts as success: the next failure starts with the shortest delay.
    if (resourceVersion !== undefined && stoodMs >= this.#options.settings.backoff.stableMs) this.#attempts.begin();
    // A WatchList that was accepted but never reached the end of its list.
    if (resourceVersion === undefined && end.stoodMs !== undefined && !end.isRelistDue) this.#avoidsWatchList = true;
    if (error !== undefined || end.isRelistDue) return error;
    if (end.isEarly) this.#options.onDoubt?.(undefined);
    if (resourceVersion !== undefined && stoodMs >= shortestWatchMs) return undefined;
    const what = followedText(this.#options);
    return new KubeError("serverError", `the watch of ${what} was closed by the server right after it began`);
  }

  #drawRelist(): void {
    const { clock, random, settings } = this.#options;
    if (settings.relistIntervalMs === undefined) return;
    this.#relistAtMs = clock.nowMs() + jitter(settings.relistIntervalMs, random.next());
  }

  /** Makes one paged list. Returns the error of a request; throws only errors that end the reflector. */
  async #list(signal: AbortSignal): Promise<Listed | KubeError> {
    this.#resourceVersion = undefined;
    this.#drawRelist();
    try {
      const listed = await listOnce(this.#options, this.#emit, signal);
      this.#resourceVersion = listed.resourceVersion;
      this.#heardAtMs = this.#options.clock.nowMs();
      return listed;
    } catch (reason) {
      if (signal.aborted) throw abortReason(signal);
      if (reason instanceof KubeError) return reason;
      throw reason;
    }
  }

  /** Waits for the next scan in poll mode, then scans. Scans never overlap, because each is awaited (N-60). */
  async #poll(signal: AbortSignal): Promise<StepFailure | undefined> {
    const { clock } = this.#options;
    if (this.#polls.waitMs > 0) await clock.sleep(this.#polls.waitMs, signal);
    this.#attempts.attempt();
    const startMs = clock.nowMs();
    const listed = await this.#list(signal);
    if (listed instanceof KubeError) {
      // If lists are refused too, nothing is known about watch: the next attempt tries both.
      if (listed.fault === "forbidden") this.#polls.stop();
      return { step: "list", error: listed };
    }
    await this.#emit({ kind: "current", mode: "poll" });
    this.#attempts.begin();
    this.#isExpired = false;
    const tookMs = clock.nowMs() - startMs;
    const { intervalMs } = this.#polls;
    if (tookMs > intervalMs) await this.#emit({ kind: "overrun", tookMs, intervalMs });
    this.#polls.noteScan(startMs, listed.digest);
    return undefined;
  }

  /** Performs the reaction to a failure, and waits if it is `retry`. */
  async #recover({ step, error }: StepFailure, signal: AbortSignal): Promise<void> {
    const move = chooseRecovery(step, error, this.#isExpired);
    if (error.fault === "expired") {
      this.#resourceVersion = undefined;
      this.#isExpired = true;
    }
    if (move === "pages") this.#offersWatchList = false;
    if (move === "poll") this.#polls.start();
    if (move === "retry") await this.#retry(step, error, signal);
  }

  async #retry(step: FailedStep, error: KubeError, signal: AbortSignal): Promise<void> {
    const { log, settings, onDoubt } = this.#options;
    if (isServerFault(error.fault)) onDoubt?.(error);
    const { attemptCount, retryInMs } = this.#attempts.fail(error);
    this.#answeredCount = step === "watch" && error.status !== undefined ? this.#answeredCount + 1 : 0;
    if (this.#answeredCount >= settings.retryLimit) {
      // The server answers but has refused this position for a whole scan, for example after a restored backup: list
      // again.
      this.#resourceVersion = undefined;
      this.#answeredCount = 0;
    }
    log.debug("list or watch failed; will retry", {
      resource: followedText(this.#options),
      step,
      fault: error.fault,
      attemptCount,
      retryInMs: Math.round(retryInMs),
    });
    await this.#emit({ kind: "failed", error, attemptCount, retryInMs });
    await this.#rest(error, retryInMs, signal);
  }

  /** A server failure ends when the server recovers. After any other failure the wait lasts its full time. */
  async #rest({ fault }: KubeError, retryInMs: number, signal: AbortSignal): Promise<void> {
    const { clock, random, returns } = this.#options;
    const isOfServer = isServerFault(fault) || fault === "serverError";
    if (returns === undefined || !isOfServer) await clock.sleep(retryInMs, signal);
    else if (await waitForRecovery({ clock, random, returns }, retryInMs, signal)) this.#attempts.begin();
  }
}

/**
 * Follows one resource until `signal` aborts. Passes its objects and their changes to `sink`, in order (KU10 to KU17).
 * No failure of the server ends it. Rejects with the signal's reason, or with the error of the sink.
 */
export async function runReflector(options: ReflectorOptions, signal: AbortSignal): Promise<void> {
  try {
    await new Reflector(options).run(signal);
  } catch (reason) {
    throw reason instanceof SinkFailure ? reason.cause : reason;
  }
}
