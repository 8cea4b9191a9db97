// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { type EventChanges, EventWindow } from "../../kinds/event-window.ts";
import { type ObjectIdentity, objectKeyText } from "../../kinds/object-identity.ts";
import type { RowContent } from "../../model/rows/row.ts";
import type { KindRows } from "../../session/agent/kind-rows.ts";
import type { ObjectHandler } from "./object-handler.ts";
import type { Refusals } from "./refusals.ts";

export interface EventTakerOptions {
  readonly rows: KindRows;
  readonly clock: Clock;
  readonly refusals: Refusals;
  /** Called with the number of rows dropped for lack of room since the agent started. */
  readonly onLeftOut: (leftOutCount: number) => void;
}

/** Interval of the expiry check. Rows live one hour, so they expire at most a sixtieth late. */
const expiryIntervalMs = 60_000;

/**
 * Keeps the newest warnings of the cluster as rows (KI15). A list fills a separate window, which replaces the old one
 * when the list is complete.
 */
export class EventProjector implements ObjectHandler {
  readonly #options: EventTakerOptions;
  #window = new EventWindow();
  #listing: EventWindow | undefined;
  #leftOutBefore = 0;
  #cancelExpiry: CancelTimer;

  constructor(options: EventTakerOptions) {
    this.#options = options;
    this.#cancelExpiry = this.#planExpiry();
  }

  beginList(): void {
    this.#listing = new EventWindow();
    this.#options.refusals.clear();
  }

  takeObject(object: unknown, identity: ObjectIdentity): void {
    const nowMs = this.#options.clock.nowMs();
    this.#options.refusals.guard(objectKeyText(identity), () => {
      const changes = (this.#listing ?? this.#window).apply(object, nowMs);
      if (this.#listing === undefined) this.#publish(changes);
    });
  }

  takeDeleted(identity: ObjectIdentity): void {
    const changes = (this.#listing ?? this.#window).remove(identity);
    if (this.#listing === undefined) this.#publish(changes);
  }

  /**
   * Replaces all rows by the window's. An unreadable event is one warning less and never a wrong row, so no rows are
   * kept for it.
   */
  endList(): void {
    const { rows } = this.#options;
    this.#leftOutBefore += this.#window.leftOutCount;
    this.#window = this.#listing ?? this.#window;
    this.#listing = undefined;
    rows.beginList();
    for (const row of this.#window.rows()) this.#upsert(row);
    rows.endList();
    this.#tellLeftOut();
  }

  empty(): void {
    this.beginList();
    this.endList();
  }

  close(): void {
    this.#cancelExpiry();
  }

  #publish({ upserts, deletes }: EventChanges): void {
    for (const gone of deletes) this.#options.rows.delete(gone, gone.uid);
    for (const content of upserts) this.#upsert(content);
    this.#tellLeftOut();
  }

  #upsert(content: RowContent): void {
    const { rows, refusals } = this.#options;
    refusals.guard(objectKeyText(content), () => void rows.upsert(content));
  }

  #tellLeftOut(): void {
    this.#options.onLeftOut(this.#leftOutBefore + this.#window.leftOutCount);
  }

  #planExpiry(): CancelTimer {
    return this.#options.clock.setTimer(expiryIntervalMs, () => {
      this.#publish(this.#window.expire(this.#options.clock.nowMs()));
      this.#cancelExpiry = this.#planExpiry();
    });
  }
}
