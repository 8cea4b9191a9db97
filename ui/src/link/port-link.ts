// SPDX-License-Identifier: Apache-2.0
import { HubClock } from "../time/hub-clock.ts";
import type { HubHop, Link, ViewRequest, ViewSink } from "./link.ts";
import type { LinkPort, TabMessage, WorkerMessage } from "./port-messages.ts";

/** The Link of a tab whose stream is held at the other end of a message port. */
export class PortLink implements Link {
  readonly clock: HubClock;
  readonly #port: LinkPort<WorkerMessage, TabMessage>;
  readonly #nowMs: () => number;
  readonly #sinks = new Map<number, ViewSink>();
  readonly #listeners = new Set<() => void>();
  #lastNumber = 0;
  #hop: HubHop = { kind: "opening" };

  constructor(port: LinkPort<WorkerMessage, TabMessage>, nowMs: () => number) {
    this.#port = port;
    this.#nowMs = nowMs;
    this.clock = new HubClock(nowMs);
    port.listen((message) => this.#take(message));
  }

  getHop(): HubHop {
    return this.#hop;
  }

  listenHop(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  subscribe(request: ViewRequest, sink: ViewSink): () => void {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#sinks.set(number, sink);
    this.#port.postMessage({ kind: "subscribe", number, request });
    return () => {
      if (this.#sinks.delete(number)) this.#port.postMessage({ kind: "unsubscribe", number });
    };
  }

  retryNow(): void {
    this.#port.postMessage({ kind: "wake" });
  }

  #take(message: WorkerMessage): void {
    switch (message.kind) {
      case "hop":
        this.#hop = this.#toLocal(message.hop, message.workerNowMs);
        for (const listener of this.#listeners) listener();
        return;
      case "time":
        this.clock.note(message.time);
        return;
      case "update": {
        const { number, bytes, isSnapshot, time } = message;
        this.clock.note(time);
        this.#sinks.get(number)?.update({ bytes, isSnapshot });
        this.#port.postMessage({ kind: "taken", number });
        return;
      }
      case "refused": {
        const sink = this.#sinks.get(message.number);
        this.#sinks.delete(message.number);
        sink?.refused(message.refusal);
      }
    }
  }

  /** The same value with its times on this tab's clock. */
  #toLocal(hop: HubHop, workerNowMs: number): HubHop {
    const shiftMs = this.#nowMs() - workerNowMs;
    if (hop.kind === "open") return { ...hop, sinceMs: hop.sinceMs + shiftMs };
    if (hop.kind !== "lost") return hop;
    const nextAttemptMs = hop.nextAttemptMs === undefined ? undefined : hop.nextAttemptMs + shiftMs;
    return { ...hop, sinceMs: hop.sinceMs + shiftMs, nextAttemptMs };
  }
}
