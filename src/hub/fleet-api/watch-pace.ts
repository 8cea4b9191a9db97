// SPDX-License-Identifier: Apache-2.0

import type { ListOptions } from "../../apiserver/request/list-options.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import type { Subject } from "../../model/subject.ts";
import type { FlushChanges } from "../rows/fleet-reader.ts";
import type { FleetApiParts } from "./fleet-api-parts.ts";
import { hashAccess } from "./fleet-version.ts";

/** What a watch does next. */
export type WatchStep =
  /** The timeout is over, or the feed ended. */
  | { readonly kind: "end" }
  /** The user no longer sees the same objects as at the version. */
  | { readonly kind: "accessChanged" }
  | { readonly kind: "bookmark" }
  | { readonly kind: "flush"; readonly flush: FlushChanges };

/** Interval of bookmarks, as in kube-apiserver. */
const bookmarkMs = 60_000;

/** The last bookmark is sent this long before the end, so that a client that watches again continues from there. */
const lastBookmarkMs = 2_000;

/** Interval at which changed rights are noticed: half of the 2 s in which a revocation takes effect. */
const accessMs = 1_000;

/** A watch without a timeout ends after 30 to 60 minutes, as in kube-apiserver, so that watches spread over hubs. */
const minTimeoutMs = 30 * 60_000;

/** The longest watch, whatever timeout is requested. */
const maxTimeoutMs = 12 * 60 * 60_000;

export interface WatchPaceOptions {
  readonly options: Pick<ListOptions, "timeoutSeconds" | "wantsBookmarks">;
  /** The hash of what the user could see at the version. */
  readonly access: string;
  /** Reads the changes after the version until the signal aborts. */
  readonly read: (signal: AbortSignal) => AsyncIterable<FlushChanges>;
  readonly signal: AbortSignal;
}

type PaceParts = Pick<FleetApiParts, "clock" | "random" | "reader"> & { readonly subject: Subject };

/** The changes of a watch and its timers, one step at a time. At most one flush is read ahead. */
export class WatchPace implements Disposable {
  readonly #parts: PaceParts;
  readonly #options: WatchPaceOptions;
  readonly #flushes: AsyncIterator<FlushChanges>;
  readonly #wake = new WakeUp();
  readonly #over = new AbortController();
  readonly #endMs: number;
  #bookmarkDueMs: number;
  #accessDueMs: number;
  #accessVersion: number | undefined;
  /** The answer of the feed that is not taken yet. */
  #arrived: { readonly step: IteratorResult<FlushChanges> } | { readonly failure: unknown } | undefined;

  constructor(parts: PaceParts, options: WatchPaceOptions) {
    this.#parts = parts;
    this.#options = options;
    const reading = AbortSignal.any([options.signal, this.#over.signal]);
    this.#flushes = options.read(reading)[Symbol.asyncIterator]();
    const { timeoutSeconds = 0 } = options.options;
    const nowMs = parts.clock.nowMs();
    const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * 1_000 : minTimeoutMs * (1 + parts.random.next());
    this.#endMs = nowMs + Math.min(timeoutMs, maxTimeoutMs);
    this.#bookmarkDueMs = this.#nextBookmarkMs();
    this.#accessDueMs = nowMs;
    this.#pull();
  }

  /** The next step. Rejects with the failure of the feed, or with the signal's reason. */
  async next(): Promise<WatchStep> {
    const { clock } = this.#parts;
    const { options, signal } = this.#options;
    for (;;) {
      const nowMs = clock.nowMs();
      if (nowMs >= this.#accessDueMs) {
        this.#accessDueMs = nowMs + accessMs;
        if (await this.#hasAccessChanged()) return { kind: "accessChanged" };
      }
      const arrived = this.#take();
      if (arrived !== undefined) return arrived;
      if (nowMs >= this.#endMs) return { kind: "end" };
      if (options.wantsBookmarks && nowMs >= this.#bookmarkDueMs) {
        this.#bookmarkDueMs = this.#nextBookmarkMs();
        return { kind: "bookmark" };
      }
      const dueMs = Math.min(
        this.#endMs,
        this.#accessDueMs,
        options.wantsBookmarks ? this.#bookmarkDueMs : this.#endMs,
      );
      await this.#wake.waitAtMost(clock, Math.max(0, dueMs - clock.nowMs()), signal);
    }
  }

  /** Ends the reading of the feed. */
  [Symbol.dispose](): void {
    this.#over.abort(new Error("the watch is over"));
  }

  #take(): WatchStep | undefined {
    const arrived = this.#arrived;
    if (arrived === undefined) return undefined;
    if ("failure" in arrived) throw arrived.failure;
    if (arrived.step.done === true) return { kind: "end" };
    this.#arrived = undefined;
    this.#pull();
    return { kind: "flush", flush: arrived.step.value };
  }

  #pull(): void {
    void this.#flushes
      .next()
      .then(
        (step) => {
          this.#arrived = { step };
        },
        (failure: unknown) => {
          this.#arrived = { failure };
        },
      )
      .then(() => this.#wake.wake());
  }

  async #hasAccessChanged(): Promise<boolean> {
    const { reader, subject } = this.#parts;
    const version = await reader.loadAccessVersion();
    if (version === this.#accessVersion) return false;
    this.#accessVersion = version;
    const [keys] = await reader.listAccessKeys([subject]);
    return hashAccess(keys) !== this.#options.access;
  }

  /** Bookmarks vary by 10 % either way, so that watches opened together do not send them together. */
  #nextBookmarkMs(): number {
    const nowMs = this.#parts.clock.nowMs();
    const dueMs = nowMs + bookmarkMs * (0.9 + 0.2 * this.#parts.random.next());
    const lastMs = this.#endMs - lastBookmarkMs;
    return nowMs < lastMs ? Math.min(dueMs, lastMs) : Math.max(dueMs, this.#endMs);
  }
}
