// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { checkFirst, endStreamOnAbort, linkSignals } from "./abortable-stream.ts";

const asIs = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

async function* numbers(onReturn: () => void = () => undefined): AsyncGenerator<number> {
  try {
    yield 1;
    yield 2;
  } finally {
    onReturn();
  }
}

test("[RP31] a stream that nobody cuts passes through whole, and lets go of every signal", async () => {
  const long = new AbortController();
  const link = linkSignals([{ signal: long.signal }]);
  let endCount = 0;
  link.onEnd(() => {
    endCount += 1;
  });
  expect(await Array.fromAsync(endStreamOnAbort(numbers(), link, asIs))).toEqual([1, 2]);
  expect(endCount).toBe(1);
  long.abort(new Error("much later"));
  expect(link.signal.aborted).toBe(false);
  expect(endCount).toBe(1);
});

test("[RP31] an abort cuts a stream that waits for ever, with the reason of that source", async () => {
  const call = new AbortController();
  const token = new AbortController();
  const link = linkSignals([{ signal: call.signal }, { signal: token.signal, reason: () => new Error("token ended") }]);
  const waiting: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }),
  };
  const first = endStreamOnAbort(waiting, link, asIs)[Symbol.asyncIterator]().next();
  token.abort();
  await expect(first).rejects.toThrow("token ended");
  expect(link.signal.reason).toMatchObject({ message: "token ended" });
});

test("[RP31] a source aborted already cuts before the first message", async () => {
  const link = linkSignals([{ signal: AbortSignal.abort(new Error("too late")) }]);
  let isEnded = false;
  link.onEnd(() => {
    isEnded = true;
  });
  await expect(Array.fromAsync(endStreamOnAbort(numbers(), link, asIs))).rejects.toThrow("too late");
  expect(isEnded).toBe(true);
});

test("[RP31] a reader that leaves early, and a cut, both tell the source to return", async () => {
  let returnCount = 0;
  const counted = (): AsyncGenerator<number> =>
    numbers(() => {
      returnCount += 1;
    });
  for await (const value of endStreamOnAbort(counted(), linkSignals([]), asIs)) {
    expect(value).toBe(1);
    break;
  }
  expect(returnCount).toBe(1);
  const stop = new AbortController();
  const read = async (): Promise<void> => {
    for await (const value of endStreamOnAbort(counted(), linkSignals([{ signal: stop.signal }]), asIs)) {
      if (value === 1) stop.abort(new Error("cut"));
    }
  };
  await expect(read()).rejects.toThrow("cut");
  expect(returnCount).toBe(2);
});

test("[RP31] a stream listens to its signal once, however many messages pass, and not at all when it is over", async () => {
  const { signal } = new AbortController();
  const calls: string[] = [];
  for (const name of ["addEventListener", "removeEventListener"] as const)
    signal[name] = (type: string) => void calls.push(`${name} ${type}`);
  const link = { signal, end: () => undefined, onEnd: () => undefined };
  async function* hundred(): AsyncGenerator<number> {
    for (let at = 0; at < 100; at += 1) yield at;
  }
  expect(await Array.fromAsync(endStreamOnAbort(hundred(), link, asIs))).toHaveLength(100);
  expect(calls).toEqual(["addEventListener abort", "removeEventListener abort"]);
});

test("[RP31] failures of the source pass through the given mapping", async () => {
  // oxlint-disable-next-line require-yield
  async function* failing(): AsyncGenerator<number> {
    throw new Error("inner");
  }
  const mapped = endStreamOnAbort(failing(), linkSignals([]), () => new Error("outer"));
  await expect(Array.fromAsync(mapped)).rejects.toThrow("outer");
});

test("[RP28] nothing of a stream is seen before the check of its first message", async () => {
  const seen: number[] = [];
  const checked = checkFirst(numbers(), async (first) => {
    if (first === 1) throw new Error("denied");
  });
  const read = async (): Promise<void> => {
    for await (const value of checked) seen.push(value);
  };
  await expect(read()).rejects.toThrow("denied");
  expect(seen).toEqual([]);
});
