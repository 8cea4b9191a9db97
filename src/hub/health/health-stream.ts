// SPDX-License-Identifier: Apache-2.0
// The body of `GET /health`: server-sent events on request, otherwise one JSON document.
import type { Clock } from "../../base/time/clock.ts";
import type { ClusterHealth } from "./cluster-health.ts";
import { type ClusterView, type HealthChange, toClusterDocument } from "./cluster-view.ts";

/** One reader of `/health`. */
export interface HealthReader {
  readonly health: ClusterHealth;
  readonly clock: Clock;
  /**
   * Whether the reader may see this cluster. Called for every event, and for all clusters at every heartbeat.
   * Does not throw.
   */
  readonly canSee: (cluster: string) => boolean;
}

export interface HealthStreamOptions extends HealthReader {
  /** The reader's Last-Event-ID header. */
  readonly lastEventId?: string | undefined;
  /** Interval of comments on a quiet stream. */
  readonly heartbeatMs?: number;
  /** Ends the stream: the reader disconnected, its token ended, or the hub closes. */
  readonly signal: AbortSignal;
}

/** Proxies close streams that are silent for 30 to 60 s. */
const defaultHeartbeatMs = 15_000;

/** Delay before a browser reopens the stream; its own default is 3 to 5 s. */
const reopenMs = 2_000;

/** True if the Accept header asks for an event stream. */
export function wantsEventStream(accept: string | undefined): boolean {
  return (accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/event-stream" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** The current state of every cluster that the reader may see, as one JSON document. */
export function healthDocument(reader: HealthReader): string {
  const { health, clock } = reader;
  const clusters = visible(reader).map((view) => toClusterDocument(view, clock));
  return JSON.stringify({ run: health.runId, position: health.position, clusters });
}

/**
 * The text of the stream. First a `snapshot` of all clusters, or the missed changes if the reader resumes from a
 * position that is still kept; then a `state` or `removed` per change, and comments while nothing changes. A slow
 * reader delays no other: it misses intermediate states, never the last one. Ends when the signal aborts; does not
 * throw.
 */
export async function* streamHealth(options: HealthStreamOptions): AsyncGenerator<string, void, undefined> {
  const { health, clock, lastEventId, heartbeatMs = defaultHeartbeatMs, signal } = options;
  const changes = health.subscribe();
  try {
    const viewer = new Viewer(options);
    const missed = findMissed(health, lastEventId);
    yield `retry: ${reopenMs}\n\n${missed === undefined ? viewer.snapshot() : viewer.resume(missed)}`;
    let heardMs = clock.nowMs();
    while (!signal.aborted) {
      const taken = await changes.take(Math.max(0, heardMs + heartbeatMs - clock.nowMs()), signal);
      if (signal.aborted) return;
      const isQuiet = clock.nowMs() - heardMs >= heartbeatMs;
      const text = taken.map((change) => viewer.toEvent(change)).join("") + (isQuiet ? viewer.heartbeat() : "");
      if (isQuiet) heardMs = clock.nowMs();
      if (text !== "") yield text;
    }
  } finally {
    changes.close();
  }
}

/** Tracks which clusters one reader was sent, and creates its events. */
class Viewer {
  readonly #reader: HealthReader;
  readonly #shown = new Set<string>();

  constructor(reader: HealthReader) {
    this.#reader = reader;
  }

  snapshot(): string {
    const { health, clock } = this.#reader;
    const views = visible(this.#reader);
    this.#shown.clear();
    for (const { cluster } of views) this.#shown.add(cluster);
    const clusters = views.map((view) => toClusterDocument(view, clock));
    return this.#event("snapshot", health.position, { clusters });
  }

  /** The missed changes after a comment, which shows that the stream lives even without changes. */
  resume(missed: readonly HealthChange[]): string {
    for (const { cluster } of visible(this.#reader)) this.#shown.add(cluster);
    return `: resumed\n\n${newestPerCluster(missed)
      .map((change) => this.toEvent(change))
      .join("")}`;
  }

  /** "" for a change that the reader may not see. */
  toEvent({ cluster, view, position }: HealthChange): string {
    if (!this.#reader.canSee(cluster)) return this.#withdraw(cluster, position);
    if (view === undefined) {
      this.#shown.delete(cluster);
      return this.#event("removed", position, { cluster });
    }
    return this.#state(view, position);
  }

  /** A comment, and events for clusters that became visible or invisible since permissions were last checked. */
  heartbeat(): string {
    const { health, canSee } = this.#reader;
    const { position } = health;
    const lost = [...this.#shown].filter((cluster) => !canSee(cluster));
    const gained = visible(this.#reader).filter(({ cluster }) => !this.#shown.has(cluster));
    const events = [
      ...lost.map((cluster) => this.#withdraw(cluster, position)),
      ...gained.map((view) => this.#state(view, position)),
    ];
    return `: heartbeat\n\n${events.join("")}`;
  }

  #state(view: ClusterView, position: number): string {
    this.#shown.add(view.cluster);
    return this.#event("state", position, toClusterDocument(view, this.#reader.clock));
  }

  #withdraw(cluster: string, position: number): string {
    return this.#shown.delete(cluster) ? this.#event("removed", position, { cluster }) : "";
  }

  /** `JSON.stringify` emits no line breaks, so the event is one `data` line. */
  #event(name: string, position: number, document: unknown): string {
    const id = toEventId(this.#reader.health.runId, position);
    return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(document)}\n\n`;
  }
}

function visible({ health, canSee }: HealthReader): readonly ClusterView[] {
  return health.list().filter(({ cluster }) => canSee(cluster));
}

function toEventId(runId: string, position: number): string {
  return `${runId}-${position}`;
}

/** The changes that a reader missed; undefined if its position is too old, of another run, or malformed. */
function findMissed(health: ClusterHealth, lastEventId: string | undefined): readonly HealthChange[] | undefined {
  const [, runId, digits] = /^(.{1,64})-(\d{1,15})$/.exec(lastEventId ?? "") ?? [];
  if (runId !== health.runId || digits === undefined) return undefined;
  return health.changesAfter(Number(digits));
}

/** The last change of each cluster, in order of position. */
function newestPerCluster(changes: readonly HealthChange[]): readonly HealthChange[] {
  const newest = new Map<string, HealthChange>();
  for (const change of changes) {
    newest.delete(change.cluster);
    newest.set(change.cluster, change);
  }
  return [...newest.values()];
}
