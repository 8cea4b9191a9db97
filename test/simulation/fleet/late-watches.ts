// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../../src/base/time/clock.ts";
import type { KubeSource } from "../../../src/kube/kube-source.ts";

/**
 * How much later a late watch tells everything: so late that another agent's picture is newer, and not so late that the
 * watch passes for dead.
 */
const lateMs = 4_000;

interface Piece {
  readonly atMs: number;
  readonly step: IteratorResult<Uint8Array>;
}

/** The pieces of a body, each `lateMs` after it came. Reads on meanwhile. */
async function* late(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const iterator = body[Symbol.asyncIterator]();
  const read = async (): Promise<Piece> => {
    const step = await iterator.next();
    return { atMs: clock.nowMs(), step };
  };
  const waiting: Promise<Piece>[] = [];
  let newest = read();
  waiting.push(newest);
  const readOn = async (): Promise<void> => {
    for (let piece = await newest; piece.step.done !== true; piece = await newest) {
      newest = read();
      waiting.push(newest);
    }
  };
  const reading = readOn().catch(() => undefined); // whoever waits for that piece is told
  try {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { atMs, step } = await next;
      if (step.done === true) return;
      await clock.sleep(Math.max(0, atMs + lateMs - clock.nowMs()), signal);
      yield step.value;
    }
  } finally {
    await iterator.return?.();
    await reading;
  }
}

/** A source whose watches are slow without being broken; lists are of the moment. */
export function watchesAreLate(source: KubeSource, clock: Clock): KubeSource {
  return {
    async request(request, signal) {
      const answer = await source.request(request, signal);
      return request.query?.["watch"] === "true" ? { ...answer, body: late(answer.body, clock, signal) } : answer;
    },
  };
}
