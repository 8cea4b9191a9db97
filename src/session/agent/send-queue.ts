// SPDX-License-Identifier: Apache-2.0
import { maxHintsOfAgent } from "../hints/hint.ts";
import { maxTunnelsOfAgent } from "../tunnel/tunnel.ts";
import type { Intent } from "./session-event.ts";

/**
 * Sending order. After the greeting heartbeats come first. Tunnel failures and
 * answers to hints precede state because a user waits for them. Statuses precede the digests that rely on them. Flushes are last. Of two answers to access reviews the later one is
 * sent: the hub awaits only that.
 */
const order: readonly Intent["kind"][] = [
  "hello",
  "proof",
  "heartbeat",
  "tunnelFailures",
  "hintAnswers",
  "statuses",
  "accessReport",
  "accessVerdicts",
  "kinds",
  "root",
  "buckets",
  "goodbye",
  "flush",
];

/** Merges two intents of one kind into one with the content of both. */
function merge(waiting: Intent, later: Intent): Intent {
  if (waiting.kind === "statuses" && later.kind === "statuses") return { ...later, all: waiting.all || later.all };
  if (waiting.kind === "kinds" && later.kind === "kinds") return { ...later, all: waiting.all || later.all };
  if (waiting.kind === "buckets" && later.kind === "buckets")
    return { ...later, resources: [...new Set([...waiting.resources, ...later.resources])] };
  if (waiting.kind === "tunnelFailures" && later.kind === "tunnelFailures")
    return { ...later, failures: [...waiting.failures, ...later.failures].slice(-maxTunnelsOfAgent) };
  if (waiting.kind === "hintAnswers" && later.kind === "hintAnswers")
    return { ...later, answers: [...waiting.answers, ...later.answers].slice(-maxHintsOfAgent) };
  return later;
}

/**
 * The intents that wait on one stream: at most one of each kind, with later ones merged into it, so the size is bounded
 * (L13).
 */
export class SendQueue {
  readonly #waiting = new Map<Intent["kind"], Intent>();

  /** A Goodbye discards everything that waits. */
  add(intent: Intent): void {
    if (intent.kind === "goodbye") this.#waiting.clear();
    const waiting = this.#waiting.get(intent.kind);
    this.#waiting.set(intent.kind, waiting === undefined ? intent : merge(waiting, intent));
  }

  /**
   * Removes and returns the next intent; undefined without one. A flush without credit stays and does not block the
   * others.
   */
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
