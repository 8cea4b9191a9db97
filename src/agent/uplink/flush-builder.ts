// SPDX-License-Identifier: Apache-2.0

import { WakeUp } from "../../base/queues/wake-up.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { Outbox } from "../../session/agent/outbox.ts";
import { type FlushPlan, planFlush } from "../../session/agent/plan-flush.ts";
import type { RowTable } from "../../session/agent/row-table.ts";
import { buildFlush, encodeFlush, envelopeBytes } from "./build-flush.ts";
import { framedBytes, type MessageLimits } from "./make-request.ts";

export interface FlushBuilderOptions {
  readonly rows: RowTable;
  readonly outbox: Outbox;
  readonly codec: Codec;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly limits: () => MessageLimits;
  /** Called after each request. `isEmpty`: nothing waits. `isCut`: changes are left over. */
  readonly onBuilt: (built: { readonly isEmpty: boolean; readonly isCut: boolean }) => void;
}

/** A flush that is ready to be sent. */
export interface BuiltFlush {
  readonly plan: FlushPlan;
  readonly bytes: Uint8Array;
  /** Its bytes on the stream, counted with the longest envelope: never too few. */
  readonly byteCount: number;
}

/**
 * Bytes of the records in one flush. Decoded they take about ten times as much, and a first sync builds one flush after
 * another (U-65).
 */
const maxFlushBytes = 256 * 1024;

/** Builds flushes of one session, one at a time, each on request. */
export class FlushBuilder {
  readonly #options: FlushBuilderOptions;
  readonly #wakeUp = new WakeUp();
  #isRequested = false;
  #built: BuiltFlush | undefined;

  constructor(options: FlushBuilderOptions) {
    this.#options = options;
  }

  /** The flush that waits to be sent. */
  get built(): BuiltFlush | undefined {
    return this.#built;
  }

  request(): void {
    this.#isRequested = true;
    this.wake();
  }

  /** Lets `run` see that the session has ended. */
  wake(): void {
    this.#wakeUp.wake();
  }

  /** The flush that waits; the caller sends it. */
  take(): BuiltFlush | undefined {
    const flush = this.#built;
    this.#built = undefined;
    return flush;
  }

  /** Puts the changes of an unsent flush back into the outbox. */
  discard(): void {
    const flush = this.take();
    if (flush !== undefined) this.#options.outbox.putBack(flush.plan.entries, flush.plan.sinceMs);
  }

  /** Builds until `isEnded`. Rejects with the error of a flush that cannot be encoded; its changes wait again. */
  async run(isEnded: () => boolean): Promise<void> {
    const { rows, outbox, clock, limits, onBuilt } = this.#options;
    while (!isEnded()) {
      if (!this.#isRequested) {
        await this.#wakeUp.wait();
        continue;
      }
      this.#isRequested = false;
      const maxBytes = Math.min(maxFlushBytes, Math.floor(limits().maxMessageBytes / 2));
      const plan = planFlush(rows, outbox, maxBytes, clock.nowMs());
      if (plan !== undefined) await this.#build(plan);
      onBuilt({ isEmpty: plan === undefined, isCut: plan?.isCut ?? false });
    }
  }

  async #build(plan: FlushPlan): Promise<void> {
    const { outbox, codec, hasher, limits } = this.#options;
    try {
      const bytes = encodeFlush(await buildFlush(plan, codec, hasher));
      this.#built = { plan, bytes, byteCount: framedBytes(bytes.length + envelopeBytes, limits()) };
    } catch (reason) {
      outbox.putBack(plan.entries, plan.sinceMs);
      throw reason;
    }
  }
}
