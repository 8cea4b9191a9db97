// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../../base/abort.ts";
import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { KubeError, type KubeFault } from "../kube-error.ts";
import type { KubeSource } from "../kube-source.ts";
import { readBody } from "../reflector/parse-json.ts";
import { Bell } from "./bell.ts";

/** What one probe found. */
export type ProbeOutcome =
  | { readonly kind: "ok"; readonly tookMs: number }
  | { readonly kind: "fault"; readonly fault: KubeFault; readonly text: string; readonly tookMs: number };

export interface ProbeOptions {
  readonly source: KubeSource;
  readonly clock: Clock;
  /** `--health-interval`. */
  readonly intervalMs: number;
  /** `--health-timeout`, shorter than the interval (L11). */
  readonly timeoutMs: number;
  /** Told each outcome in order. Must not throw. */
  readonly onOutcome: (outcome: ProbeOutcome) => void;
}

/** An answer that says the server lives though the question itself is not for us: /livez not granted, or a server from before it had one. */
const answeredAnyway: ReadonlySet<KubeFault> = new Set(["forbidden", "notFound"]);

/** `ok` has two bytes; a failing /livez tells its checks in a few hundred. */
const maxBodyBytes = 64 * 1024;

/**
 * Asks `/livez` every interval, and at once when told to (KU20). One at a time: what is asked for during a probe is answered by one more after it, since
 * the one under way may have been answered before there was reason to ask. Outcomes of a source that has been replaced are dropped.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #bell: Bell;
  #source: KubeSource;
  #replaced = new AbortController();

  constructor(options: ProbeOptions) {
    const { intervalMs, timeoutMs, clock } = options;
    assert(timeoutMs < intervalMs, "a probe must be over before the next one is due");
    this.#options = options;
    this.#source = options.source;
    this.#bell = new Bell(clock);
  }

  /** There is reason for doubt: asks without waiting for the interval. */
  askNow(): void {
    this.#bell.ring();
  }

  /** Goes on with another connection and asks it at once; a probe under way with the old one is let go of. */
  replaceSource(source: KubeSource): void {
    const replaced = this.#replaced;
    this.#source = source;
    this.#replaced = new AbortController();
    this.#bell.ring();
    replaced.abort(new Error("the connection was replaced"));
  }

  /** Runs until the signal aborts, and rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, onOutcome } = this.#options;
    for (;;) {
      const [source, { signal: replaced }, startMs] = [this.#source, this.#replaced, clock.nowMs()];
      const outcome = await this.#ask(source, replaced, signal);
      if (signal.aborted) throw abortReason(signal);
      if (source === this.#source) onOutcome(outcome);
      await this.#bell.wait(Math.max(0, startMs + intervalMs - clock.nowMs()), signal);
    }
  }

  async #ask(source: KubeSource, replaced: AbortSignal, signal: AbortSignal): Promise<ProbeOutcome> {
    const { clock, timeoutMs } = this.#options;
    const startMs = clock.nowMs();
    const controller = new AbortController();
    const unlisten = [signal, replaced].map((each) => onAbort(each, () => controller.abort(each.reason)));
    try {
      const request = { method: "GET", path: "/livez", deadlineMs: timeoutMs } as const;
      const answer = await source.request(request, controller.signal);
      await readBody(answer.body, maxBodyBytes);
      return { kind: "ok", tookMs: clock.nowMs() - startMs };
    } catch (reason) {
      const tookMs = clock.nowMs() - startMs;
      if (controller.signal.aborted) return { kind: "fault", fault: "tcp", text: "the probe was let go of", tookMs };
      if (!(reason instanceof KubeError)) throw reason;
      if (answeredAnyway.has(reason.fault)) return { kind: "ok", tookMs };
      return { kind: "fault", fault: reason.fault, text: reason.message, tookMs };
    } finally {
      for (const stop of unlisten) stop();
    }
  }
}
