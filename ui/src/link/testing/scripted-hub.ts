// SPDX-License-Identifier: Apache-2.0
// A PageService whose streams a test controls, behind a real Connect client, with a manual clock.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import {
  type OpenRequest,
  type OpenResponse,
  OpenResponseSchema,
  PageService,
  type SubscribeRequest,
} from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { LinkSurroundings } from "../stream-link.ts";

type Message = MessageInitShape<typeof OpenResponseSchema>;

/** One stream that a browser opened. */
export class ScriptedStream {
  readonly request: OpenRequest;
  readonly #signal: AbortSignal;
  readonly #waiting: (OpenResponse | Error | "end")[] = [];
  #wake = (): void => undefined;

  constructor(request: OpenRequest, signal: AbortSignal) {
    this.request = request;
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake());
  }

  get isLeft(): boolean {
    return this.#signal.aborted;
  }

  send(message: Message): void {
    this.#push(create(OpenResponseSchema, message));
  }

  end(): void {
    this.#push("end");
  }

  fail(reason: Error): void {
    this.#push(reason);
  }

  async *messages(): AsyncGenerator<OpenResponse> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next === "end" || this.#signal.aborted) return;
      if (next instanceof Error) throw next;
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #push(next: OpenResponse | Error | "end"): void {
    this.#waiting.push(next);
    this.#wake();
  }
}

/** The hub's end. Sends only what the test sends. */
export class ScriptedHub {
  readonly streams: ScriptedStream[] = [];
  readonly subscribed: SubscribeRequest[] = [];
  readonly unsubscribed: number[] = [];
  /** Thrown by these calls until cleared. */
  openFailure: Error | undefined;
  subscribeFailure: Error | undefined;
  nowMs = 0;
  readonly #timers: { dueMs: number; callback: () => void }[] = [];

  readonly surroundings: LinkSurroundings = {
    client: createClient(
      PageService,
      createRouterTransport(({ service }) => {
        service(PageService, {
          open: (request, { signal }) => this.#open(request, signal),
          subscribe: (request) => {
            this.subscribed.push(request);
            if (this.subscribeFailure !== undefined) throw this.subscribeFailure;
            return {};
          },
          unsubscribe: ({ subscriptionId }) => {
            this.unsubscribed.push(subscriptionId);
            return {};
          },
        });
      }),
    ),
    nowMs: () => this.nowMs,
    random: () => 1,
    setTimer: (ms, callback) => {
      const timer = { dueMs: this.nowMs + ms, callback };
      this.#timers.push(timer);
      return () => {
        const at = this.#timers.indexOf(timer);
        if (at >= 0) this.#timers.splice(at, 1);
      };
    },
  };

  /** The newest stream. */
  get stream(): ScriptedStream {
    const newest = this.streams.at(-1);
    if (newest === undefined) throw new Error("no stream was opened");
    return newest;
  }

  get timerCount(): number {
    return this.#timers.length;
  }

  /** Advances the clock and runs every timer that falls due. */
  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const due = this.#timers.filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (due === undefined) break;
      this.#timers.splice(this.#timers.indexOf(due), 1);
      this.nowMs = Math.max(this.nowMs, due.dueMs);
      due.callback();
    }
    this.nowMs = endMs;
  }

  async *#open(request: OpenRequest, signal: AbortSignal): AsyncGenerator<OpenResponse> {
    if (this.openFailure !== undefined) throw this.openFailure;
    const stream = new ScriptedStream(request, signal);
    this.streams.push(stream);
    yield* stream.messages();
  }
}
