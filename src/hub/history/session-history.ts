// SPDX-License-Identifier: Apache-2.0
import { onAbort, throwIfAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { retry } from "../../base/retry.ts";
import { runTogether } from "../../base/run-together.ts";
import { put, type Store, type Write } from "../../store/store.ts";
import { sessionEvents } from "../../store/tables.ts";
import type { FleetObserver } from "../fleet/fleet-observer.ts";
import type { HeldLease } from "../fleet-tasks.ts";
import { historyId, momentKey, retainHistory } from "./history-rows.ts";
import { ToldRejections } from "./rejection-memory.ts";
import { cellMs, cellOf, type WatchedTime } from "./strip.ts";

/** One event of a session, or of an attempt to begin one. */
export interface SessionHistoryEvent {
  readonly cluster: string;
  readonly what: "accepted" | "rejected" | "ended" | "fenced" | "watched" | "administered";
  /** On the hub's wall clock. */
  readonly atMs: number;
  readonly reason: string;
  readonly sentence: string;
  readonly agentId: string;
  readonly address: string;
  readonly epoch: number;
}

export interface SessionHistoryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Identifies this run of the hub, so that two runs never write the same key. */
  readonly runId: string;
  /** Events of unregistered clusters are not stored: any client can claim a name. */
  readonly isRegistered: (cluster: string) => boolean;
  /** Whether any cluster is registered. */
  readonly hasClusters: () => boolean;
  /** Called with each event of a cluster, stored or not. */
  readonly onEvent: (event: SessionHistoryEvent) => void;
}

const writeBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };
/** Rows in one commit: some 150 KB. */
const batchCount = 500;
/**
 * Maximum events queued for the store; some 300 bytes each. Enough for a thousand sessions that end and begin five
 * times meanwhile.
 */
const maxWaitingCount = 10_000;
/** Maximum events kept per cluster: twice what the page shows, and more than four days of half hours. */
const keepCount = 400;
const retentionMs = 30 * 86_400_000;
const retentionIntervalMs = 3_600_000;
/** The cluster column of the hub's own rows. */
const hubItself = "";
/** The reason of a run's first half-hour row. */
const runBegan = "began";

/**
 * Stores session events. Adding one never waits. When too many are queued for a slow store, a newer event is logged as
 * not stored; current viewers still see it.
 */
export class SessionHistory {
  readonly #options: SessionHistoryOptions;
  readonly #rejections: ToldRejections;
  readonly #beganMs: number;
  #waiting: { readonly event: SessionHistoryEvent; readonly seq: number }[] = [];
  #seq = 0;
  #watchedCell: number | undefined;
  #wake: (() => void) | undefined;

  constructor(options: SessionHistoryOptions) {
    this.#options = options;
    this.#rejections = new ToldRejections(options.clock);
    this.#beganMs = options.clock.wallMs();
  }

  /** Sessions of other shards are ignored: they do not feed the fleet's rows (SE1). */
  readonly observer: Pick<FleetObserver, "began" | "ended" | "rejected"> = {
    began: ({ cluster, shard, agentId, address, epoch }) => {
      if (shard !== "") return;
      this.#rejections.forget(cluster);
      this.noteWatched();
      this.#take({ cluster, what: "accepted", reason: "", sentence: "", agentId, address, epoch });
    },
    ended: ({ cluster, shard, agentId, address, epoch }, ending) => {
      if (shard !== "") return;
      const isFenced = ending.kind === "lost" && ending.reason === "superseded";
      const [reason, sentence] = ending.kind === "left" ? ["left", ending.reason] : [ending.reason, ending.detail];
      this.#take({ cluster, what: isFenced ? "fenced" : "ended", reason, sentence, agentId, address, epoch });
    },
    rejected: (attempt) => {
      const { cluster, shard, agentId, address, reason, detail } = attempt;
      if (shard !== "" || !this.#options.isRegistered(cluster) || !this.#rejections.isNew(attempt)) return;
      this.#take({ cluster, what: "rejected", reason, sentence: detail, agentId, address, epoch: 0 });
    },
  };

  /**
   * Records that the hub monitors its clusters in this half hour, so that the availability strip can distinguish an
   * unchanged state from a hub that was down. Writes nothing without clusters.
   */
  noteWatched(): void {
    const cell = cellOf(this.#options.clock.wallMs());
    if (cell === this.#watchedCell || !this.#options.hasClusters()) return;
    const isFirst = this.#watchedCell === undefined;
    this.#watchedCell = cell;
    const noSession = { sentence: "", agentId: "", address: "", epoch: 0 };
    // The first row has the start time of the run, so that it sorts before all events of the run.
    const atMs = isFirst ? Math.max(this.#beganMs, cell * cellMs) : undefined;
    this.#take({ cluster: hubItself, what: "watched", reason: isFirst ? runBegan : "", ...noSession }, atMs);
  }

  /** Number of queued events. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Writes until the signal aborts; rejects with its reason or a permanent failure. */
  async run(signal: AbortSignal): Promise<void> {
    await runTogether([(both) => this.#runWriting(both), (both) => this.#runWatch(both)], signal);
    throwIfAborted(signal);
  }

  /** Writes the queued events in one attempt; to be called after `run`, when no more are added. Failures are logged. */
  async flush(): Promise<void> {
    const { store, log } = this.#options;
    try {
      while (this.#waiting.length > 0) await store.commit(this.#takeWrites());
    } catch (reason) {
      log.warn("could not store the last session events", {}, reason);
    }
  }

  /** Stored events of a cluster, oldest first. */
  async list(cluster: string): Promise<readonly SessionHistoryEvent[]> {
    const { store } = this.#options;
    const { rows } = await store.list(sessionEvents, { prefix: [store.workspace, cluster], limit: 2_000 });
    return rows.map(({ value }) => ({
      cluster,
      what: toEventName(value.what),
      atMs: value.at_ms,
      reason: value.reason,
      sentence: value.sentence,
      agentId: value.agent_id,
      address: value.address,
      epoch: value.epoch,
    }));
  }

  /** Stored times after `afterMs` at which a hub ran. */
  async loadWatched(afterMs: number): Promise<WatchedTime> {
    const { store } = this.#options;
    const { rows } = await store.list(sessionEvents, {
      prefix: [store.workspace, hubItself],
      after: [store.workspace, hubItself, momentKey(afterMs)],
      limit: 2_000,
    });
    return {
      momentsMs: rows.map(({ value }) => value.at_ms),
      beganMs: rows.filter(({ value }) => value.reason === runBegan).map(({ value }) => value.at_ms),
    };
  }

  #take(event: Omit<SessionHistoryEvent, "atMs">, atMs = this.#options.clock.wallMs()): void {
    const { log, onEvent } = this.#options;
    const kept: SessionHistoryEvent = { ...event, atMs: Math.round(atMs) };
    if (event.cluster !== hubItself) onEvent(kept);
    if (this.#waiting.length >= maxWaitingCount) {
      log.warn("a session event was not stored: the store is slow", { cluster: event.cluster });
      return;
    }
    this.#seq += 1;
    this.#waiting.push({ event: kept, seq: this.#seq });
    this.#wake?.();
  }

  async #runWriting(signal: AbortSignal): Promise<void> {
    const { clock, random, log, store } = this.#options;
    const writing = { what: "keeping events of sessions", clock, random, log, backoff: writeBackoff };
    for (;;) {
      await this.#wait(signal);
      const writes = this.#takeWrites();
      await retry(() => store.commit(writes), writing, signal);
    }
  }

  #takeWrites(): readonly Write[] {
    const batch = this.#waiting.slice(0, batchCount);
    this.#waiting = this.#waiting.slice(batchCount);
    return batch.map(({ event: { cluster, what, atMs, reason, sentence, agentId, address, epoch }, seq }) =>
      put(sessionEvents, [this.#options.store.workspace, cluster, historyId(atMs, seq, this.#options.runId)], {
        at_ms: atMs,
        what,
        reason,
        sentence,
        agent_id: agentId,
        address,
        epoch,
      }),
    );
  }

  async #wait(signal: AbortSignal): Promise<void> {
    while (this.#waiting.length === 0 && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const unlisten = onAbort(signal, resolve);
      await promise;
      unlisten();
    }
    throwIfAborted(signal);
  }

  /** Removes old events until the signal aborts; then it throws the signal's reason. For one hub of the fleet. */
  async runRetention({ fence, signal }: HeldLease): Promise<void> {
    const { clock, log, store } = this.#options;
    for (;;) {
      try {
        const oldestMs = Math.round(clock.wallMs()) - retentionMs;
        await retainHistory(store, sessionEvents, { oldestMs, keepCount, fence });
      } catch (reason) {
        log.warn("retention of session history failed", {}, reason);
      }
      await clock.sleep(retentionIntervalMs, signal);
    }
  }

  async #runWatch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      const wallMs = clock.wallMs();
      await clock.sleep((cellOf(wallMs) + 1) * cellMs - wallMs, signal);
      this.noteWatched();
    }
  }
}

const eventNames: ReadonlySet<string> = new Set(["accepted", "rejected", "ended", "fenced", "watched", "administered"]);

function isEventName(text: string): text is SessionHistoryEvent["what"] {
  return eventNames.has(text);
}

/** The stored event name; a name of another release is shown as an end. */
function toEventName(text: string): SessionHistoryEvent["what"] {
  return isEventName(text) ? text : "ended";
}
