// SPDX-License-Identifier: Apache-2.0
import { throwIfAborted } from "../../base/abort.ts";
import { runTogether } from "../../base/run-together.ts";
import { type Key, put, type Write } from "../../store/store.ts";
import { sessionEvents } from "../../store/tables.ts";
import type { Retention } from "../retention.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";
import { historyRetention, momentKey } from "./history-rows.ts";
import { type HistoryOptions, HistoryWriter } from "./history-writer.ts";
import { RecentRejections } from "./recent-rejections.ts";
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

export interface SessionHistoryOptions extends HistoryOptions {
  /** Events of unregistered clusters are not stored: any client can claim a name. */
  readonly isRegistered: (cluster: string) => boolean;
  /** Whether any cluster is registered. */
  readonly hasClusters: () => boolean;
  /** Called with each event of a cluster, stored or not. */
  readonly onEvent: (event: SessionHistoryEvent) => void;
}

/**
 * Maximum events queued for the store; some 300 bytes each. Enough for a thousand sessions that end and begin five
 * times meanwhile.
 */
const maxWaitingCount = 10_000;
/** Maximum events kept per cluster: twice what the page shows, and more than four days of half hours. */
const keepCount = 400;
const retentionMs = 30 * 86_400_000;
/** The cluster column of the hub's own rows. */
const hubItself = "";
/** The reason of a run's first half-hour row. */
const runBegan = "began";

/**
 * Stores session events. Adding one never waits. When too many are queued for a slow store, a newer event is logged as
 * not stored; current viewers still see it.
 */
export class SessionHistory {
  readonly retention: Retention;
  readonly #options: SessionHistoryOptions;
  readonly #writer: HistoryWriter<SessionHistoryEvent>;
  readonly #rejections: RecentRejections;
  readonly #beganMs: number;
  #watchedCell: number | undefined;

  constructor(options: SessionHistoryOptions) {
    this.#options = options;
    this.#rejections = new RecentRejections(options.clock);
    this.#beganMs = options.clock.wallMs();
    const what = "session events";
    this.retention = historyRetention(sessionEvents, { ...options, what, retentionMs, keepCount });
    this.#writer = new HistoryWriter({
      ...options,
      what,
      maxWaitingCount,
      toWrite: toSessionEventWrite,
    });
  }

  /** Sessions of other shards are ignored: they do not feed the fleet's rows (SE1). */
  readonly handlers = {
    began: ({ session: { cluster, shard, agentId, address, epoch } }) => {
      if (shard !== "") return;
      this.#rejections.forget(cluster);
      this.noteWatched();
      this.#add({ cluster, what: "accepted", reason: "", sentence: "", agentId, address, epoch });
    },
    ended: ({ session: { cluster, shard, agentId, address, epoch }, ending }) => {
      if (shard !== "") return;
      const isFenced = ending.kind === "lost" && ending.reason === "superseded";
      const [reason, sentence] = ending.kind === "left" ? ["left", ending.reason] : [ending.reason, ending.detail];
      this.#add({ cluster, what: isFenced ? "fenced" : "ended", reason, sentence, agentId, address, epoch });
    },
    rejected: ({ attempt }) => {
      const { cluster, shard, agentId, address, reason, detail } = attempt;
      if (shard !== "" || !this.#options.isRegistered(cluster) || !this.#rejections.isNew(attempt)) return;
      this.#add({ cluster, what: "rejected", reason, sentence: detail, agentId, address, epoch: 0 });
    },
  } satisfies SessionHandlers;

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
    this.#add({ cluster: hubItself, what: "watched", reason: isFirst ? runBegan : "", ...noSession }, atMs);
  }

  /** Number of queued events. */
  get waitingCount(): number {
    return this.#writer.waitingCount;
  }

  /** Writes until the signal aborts; rejects with its reason or a permanent failure. */
  async run(signal: AbortSignal): Promise<void> {
    await runTogether([(both) => this.#writer.run(both), (both) => this.#runWatch(both)], signal);
    throwIfAborted(signal);
  }

  /** Writes the queued events in one attempt; to be called after `run`, when no more are added. Failures are logged. */
  flush(): Promise<void> {
    return this.#writer.flush();
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

  #add(event: Omit<SessionHistoryEvent, "atMs">, atMs = this.#options.clock.wallMs()): void {
    const { log, onEvent } = this.#options;
    const kept: SessionHistoryEvent = { ...event, atMs: Math.round(atMs) };
    if (event.cluster !== hubItself) onEvent(kept);
    if (this.#writer.isFull) log.warn("a session event was not stored: the store is slow", { cluster: event.cluster });
    else this.#writer.append(kept);
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

/** The write that stores an event. */
export function toSessionEventWrite(event: SessionHistoryEvent, key: Key): Write {
  const { what, atMs, reason, sentence, agentId, address, epoch } = event;
  return put(sessionEvents, key, { at_ms: atMs, what, reason, sentence, agent_id: agentId, address, epoch });
}

const eventNames: ReadonlySet<string> = new Set(["accepted", "rejected", "ended", "fenced", "watched", "administered"]);

function isEventName(text: string): text is SessionHistoryEvent["what"] {
  return eventNames.has(text);
}

/** The stored event name; a name of another release is shown as an end. */
function toEventName(text: string): SessionHistoryEvent["what"] {
  return isEventName(text) ? text : "ended";
}
