// SPDX-License-Identifier: Apache-2.0
// What `GET /health` answers: server-sent events for those who ask for them, one JSON document for all others.
import type { Clock } from "../../base/clock.ts";
import type { ClusterHealth } from "./cluster-health.ts";
import { type ClusterView, type HealthChange, toClusterDocument } from "./cluster-view.ts";

/** One reader of `/health`. */
export interface HealthReader {
  readonly health: ClusterHealth;
  readonly clock: Clock;
  /** Whether the reader may know of this cluster; asked anew for every event, and for all clusters at every heartbeat. Does not throw. */
  readonly canSee: (cluster: string) => boolean;
}

export interface HealthStreamOptions extends HealthReader {
  /** The reader's Last-Event-ID header. */
  readonly lastEventId?: string | undefined;
  /** Quiet time after which a comment shows that the stream lives. */
  readonly heartbeatMs?: number;
  /** Ends the stream: the reader left, its token ended, or the hub closes. */
  readonly signal: AbortSignal;
}

/** Proxies cut a stream that is silent for 30 to 60 s. */
const defaultHeartbeatMs = 15_000;

/** How long a browser waits before it opens the stream again; its own default is 3 to 5 s. */
const reopenMs = 2_000;

/** True where the Accept header asks for a stream. */
export function wantsEventStream(accept: string | undefined): boolean {
  return (accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/event-stream" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** The present state of every cluster that the reader may see, as one JSON document. */
export function healthDocument(reader: HealthReader): string {
  const { health, clock } = reader;
  const clusters = visible(reader).map((view) => toClusterDocument(view, clock));
  return JSON.stringify({ run: health.runId, position: health.position, clusters });
}

/**
 * The stream, as text. First a `snapshot` with the present state of all clusters, or, for a reader who was cut off and whose position
 * is still kept, what it missed; then a `state` or `removed` per change, and a comment while nothing changes. A reader that does not
 * read holds up nobody: it misses states in between, never the last one. Ends when the signal aborts; does not throw.
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

/** What one reader has been shown, and the events it gets. */
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

  /** What was missed; without any, the position alone, so that the reader knows the stream lives. */
  resume(missed: readonly HealthChange[]): string {
    for (const { cluster } of visible(this.#reader)) this.#shown.add(cluster);
    return `: resumed\n\n${newestPerCluster(missed)
      .map((change) => this.toEvent(change))
      .join("")}`;
  }

  /** "" for a change that is not the reader's to see. */
  toEvent({ cluster, view, position }: HealthChange): string {
    if (!this.#reader.canSee(cluster)) return this.#withdraw(cluster, position);
    if (view === undefined) {
      this.#shown.delete(cluster);
      return this.#event("removed", position, { cluster });
    }
    return this.#state(view, position);
  }

  /** A comment, and what the reader came to see or no longer sees since its permissions were last looked at. */
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

  /** JSON has no line break in it, so it is one `data` line. */
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

/** What a reader missed; undefined where its position is too old, of another run of the hub, or no position at all. */
function findMissed(health: ClusterHealth, lastEventId: string | undefined): readonly HealthChange[] | undefined {
  const [, runId, digits] = /^(.{1,64})-(\d{1,15})$/.exec(lastEventId ?? "") ?? [];
  if (runId !== health.runId || digits === undefined) return undefined;
  return health.changesAfter(Number(digits));
}

/** Of several changes of one cluster the last, in order of position: the others are over. */
function newestPerCluster(changes: readonly HealthChange[]): readonly HealthChange[] {
  const newest = new Map<string, HealthChange>();
  for (const change of changes) {
    newest.delete(change.cluster);
    newest.set(change.cluster, change);
  }
  return [...newest.values()];
}
