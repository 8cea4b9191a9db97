// SPDX-License-Identifier: Apache-2.0
// Crashes within a call: every call of a process over one of its ports is a step, and a crash can be set for one of the next.
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import type { SessionTransport, StreamEnd } from "../../../src/session/transport.ts";

/** The steps of one process, counted down to a crash. */
export class Steps {
  #leftCount = 0;
  #crash: () => void = () => undefined;

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
      const answer = await source.request(request, signal);
      steps.take();
      return { ...answer, body: stepEach(answer.body, steps) };
    },
  };
}

/** The transport, each message of which is a step. */
export function stepTransport(transport: SessionTransport, steps: Steps): SessionTransport {
  return {
    async dial(signal) {
      steps.take();
      const end = await transport.dial(signal);
      steps.take();
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
      await end.send(bytes, signal);
      steps.take();
    },
  };
}

function stepEach(pieces: AsyncIterable<Uint8Array>, steps: Steps): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        async next() {
          const piece = await iterator.next();
          steps.take();
          return piece;
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
