// SPDX-License-Identifier: Apache-2.0
// What can befall a process within a call: every call over one of its ports is a step. A crash can be set for one of
// the next, and a freeze holds all of them.
import { type CancelTimer, type Clock, sleepOn } from "../../../src/base/time/clock.ts";
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import type { SessionTransport, StreamEnd } from "../../../src/session/transport.ts";

/** The steps of one process, counted down to a crash, or held while it is frozen. */
export class Steps {
  #leftCount = 0;
  #crash: () => void = () => undefined;
  #isFrozen = false;
  /** What came meanwhile, in order, each as what to do at the thaw. */
  #heldReads: (() => void)[] = [];
  #heldTimers: (() => void)[] = [];

  /** Has `crash` called within one of the next steps; a count of 0 takes that back. */
  crashAfter(stepCount: number, crash: () => void): void {
    this.#leftCount = stepCount;
    this.#crash = crash;
  }

  /** One step is made. */
  readonly take = (): void => {
    if (this.#leftCount === 0) return;
    this.#leftCount -= 1;
    if (this.#leftCount === 0) this.#crash();
  };

  /** Nothing of the process runs until the thaw: its timers and its reads wait, its sockets stay (as SIGSTOP). */
  freeze(): void {
    this.#isFrozen = true;
  }

  /**
   * Timers that fell due run, and everything that came arrives, one after another at this moment; which of both first
   * is told.
   */
  thaw(first: "timers" | "reads", clock: Clock): void {
    if (!this.#isFrozen) return;
    this.#isFrozen = false;
    const [reads, timers] = [this.#heldReads, this.#heldTimers];
    this.#heldReads = [];
    this.#heldTimers = [];
    for (const held of first === "timers" ? [...timers, ...reads] : [...reads, ...timers]) clock.setTimer(0, held);
  }

  /** What a call came to, given or thrown: a step, which waits for the thaw. */
  async made<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } finally {
      if (this.#isFrozen) await new Promise<void>((resolve) => this.#heldReads.push(resolve));
      this.take();
    }
  }

  /** The clock as the process has it: it goes on, and timers wait for the thaw. */
  clock(clock: Clock): Clock {
    const setTimer = (delayMs: number, callback: () => void): CancelTimer => {
      let isCancelled = false;
      const run = (): void => {
        if (!isCancelled) callback();
      };
      const cancel = clock.setTimer(delayMs, () => {
        if (this.#isFrozen) this.#heldTimers.push(run);
        else run();
      });
      return () => {
        isCancelled = true;
        cancel();
      };
    };
    return {
      nowMs: () => clock.nowMs(),
      wallMs: () => clock.wallMs(),
      setTimer,
      sleep: (delayMs, signal) => sleepOn({ setTimer }, delayMs, signal),
    };
  }

  /** `port`, each call of whose methods is a step before and after. */
  around<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...args: unknown[]) => {
          this.take();
          const answer: unknown = await Reflect.apply(method, target, args);
          this.take();
          return answer;
        };
      },
    });
  }
}

/** The source, each request of which and each piece of an answer is a step. */
export function stepSource(source: KubeSource, steps: Steps): KubeSource {
  return {
    async request(request, signal) {
      steps.take();
      const answer = await steps.made(source.request(request, signal));
      return { ...answer, body: stepEach(answer.body, steps) };
    },
  };
}

/** The transport, each message of which is a step. */
export function stepTransport(transport: SessionTransport, steps: Steps): SessionTransport {
  return {
    async dial(signal) {
      steps.take();
      const end = await steps.made(transport.dial(signal));
      return stepStream(end, steps);
    },
  };
}

function stepStream(end: StreamEnd, steps: Steps): StreamEnd {
  return {
    receive: stepEach(end.receive, steps),
    closed: end.closed,
    close: (error) => end.close(error),
    async send(bytes, signal) {
      steps.take();
      await steps.made(end.send(bytes, signal));
    },
  };
}

function stepEach(pieces: AsyncIterable<Uint8Array>, steps: Steps): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        async next() {
          return await steps.made(iterator.next());
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
