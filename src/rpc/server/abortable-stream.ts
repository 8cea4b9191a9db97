// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../../base/abort.ts";

/** A signal that ends a stream, and the reason to report. Default: the signal's own reason. */
export interface EndingSignal {
  readonly signal: AbortSignal;
  readonly reason?: () => Error;
}

/** Several signals combined into one until `end`, so that no listener stays on a long-lived signal. */
export interface SignalLink {
  /** Aborts with the first of them. */
  readonly signal: AbortSignal;
  /** Removes the listeners and runs the `onEnd` callbacks, once. An abort does it too. */
  end(): void;
  onEnd(callback: () => void): void;
}

/** Links the signals. An already aborted one aborts the link at once. */
export function linkSignals(sources: readonly EndingSignal[]): SignalLink {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  const end = (): void => {
    for (const release of releases.splice(0)) release();
  };
  for (const { signal, reason } of sources) {
    const unlisten = onAbort(signal, () => {
      controller.abort(reason === undefined ? signal.reason : reason());
      end();
    });
    releases.push(unlisten);
    if (signal.aborted) break;
  }
  if (controller.signal.aborted) end();
  return {
    signal: controller.signal,
    end,
    onEnd(callback) {
      if (controller.signal.aborted) callback();
      else releases.push(callback);
    },
  };
}

/**
 * Reads an iterator step by step; a step rejects with the signal's reason as soon as it aborts. One listener serves all
 * steps, so that messages cost none of their own. `end` removes the listener.
 */
export function stepsUntilAborted<T>(
  iterator: AsyncIterator<T>,
  signal: AbortSignal,
): { next(): Promise<IteratorResult<T>>; end(): void } {
  let fail: ((reason: Error) => void) | undefined;
  const end = onAbort(signal, () => fail?.(abortReason(signal)));
  return {
    end,
    next: () =>
      new Promise((resolve, reject) => {
        fail = reject;
        if (signal.aborted) reject(abortReason(signal));
        else iterator.next().then(resolve, reject);
      }),
  };
}

/**
 * The same messages until the link's signal aborts. Then the iteration throws its reason at once, even if the source is
 * waiting, and calls the source's `return`. Every error passes through `toFailure`. The link ends with the iteration.
 */
export function endStreamOnAbort<T>(
  source: AsyncIterable<T>,
  link: SignalLink,
  toFailure: (reason: unknown) => Error,
): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      const steps = stepsUntilAborted(iterator, link.signal);
      let isDone = false;
      try {
        for (;;) {
          const step = await steps.next();
          if (step.done === true) {
            isDone = true;
            return;
          }
          yield step.value;
        }
      } catch (reason) {
        throw toFailure(reason);
      } finally {
        steps.end();
        link.end();
        // Not awaited: a source that is blocked would hold the cut open. Its signal is aborted.
        if (!isDone) void iterator.return?.().catch(() => undefined);
      }
    },
  };
}

/** The same messages, after `check` has passed on the first one. */
export async function* checkFirst<T>(source: AsyncIterable<T>, check: (first: T) => Promise<void>): AsyncIterable<T> {
  let isFirst = true;
  for await (const message of source) {
    if (isFirst) await check(message);
    isFirst = false;
    yield message;
  }
}
