// SPDX-License-Identifier: Apache-2.0
import { maxTunnelsOfAgent } from "../tunnel/tunnel.ts";
import type { Intent } from "./session-event.ts";

/** In this order intents leave: a heartbeat before all else, what somebody waits for before state, statuses before the digests that count on them, flushes last. */
const order: readonly Intent["kind"][] = [
  "hello",
  "proof",
  "heartbeat",
  "tunnelFailures",
  "statuses",
  "kinds",
  "root",
  "buckets",
  "goodbye",
  "flush",
];

/** Two intents of one kind as one that says what both would. */
function merge(waiting: Intent, later: Intent): Intent {
  if (waiting.kind === "statuses" && later.kind === "statuses") return { ...later, all: waiting.all || later.all };
  if (waiting.kind === "kinds" && later.kind === "kinds") return { ...later, all: waiting.all || later.all };
  if (waiting.kind === "buckets" && later.kind === "buckets")
    return { ...later, resources: [...new Set([...waiting.resources, ...later.resources])] };
  if (waiting.kind === "tunnelFailures" && later.kind === "tunnelFailures")
    return { ...later, failures: [...waiting.failures, ...later.failures].slice(-maxTunnelsOfAgent) };
  return later;
}

/** What waits to be said on one stream: at most one intent of each kind, later ones merged into it, so it never grows (L13). */
export class SendLine {
  readonly #waiting = new Map<Intent["kind"], Intent>();

  /** After a Goodbye nothing else is said. */
  add(intent: Intent): void {
    if (intent.kind === "goodbye") this.#waiting.clear();
    const waiting = this.#waiting.get(intent.kind);
    this.#waiting.set(intent.kind, waiting === undefined ? intent : merge(waiting, intent));
  }

  /** The next one, taken out; undefined when none waits. A flush is held back while it has no credit, and holds nothing else back. */
  take(canFlush: () => boolean): Intent | undefined {
    for (const kind of order) {
      const intent = this.#waiting.get(kind);
      if (intent === undefined || (kind === "flush" && !canFlush())) continue;
      this.#waiting.delete(kind);
      return intent;
    }
    return undefined;
  }
}
