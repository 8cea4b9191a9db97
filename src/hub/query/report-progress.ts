// SPDX-License-Identifier: Apache-2.0

/**
 * The newest reports of work that is under way, until it ends. A reader that is slower than the reports gets the newest
 * one and misses those before it. Throws as the work does. If the reader stops, the work's signal aborts.
 */
export async function* newestReports<Report>(
  work: (report: (value: Report) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Report, void, undefined> {
  const stopping = new AbortController();
  let [newest, isEnded]: [Report | undefined, boolean] = [undefined, false];
  let changed = Promise.withResolvers<void>();
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const working = work(
    (value) => {
      newest = value;
      wake();
    },
    AbortSignal.any([signal, stopping.signal]),
  ).finally(() => {
    isEnded = true;
    wake();
  });
  working.catch(() => undefined); // reported when it is awaited
  try {
    for (;;) {
      const { promise } = changed;
      const report = newest;
      newest = undefined;
      if (report !== undefined) yield report;
      else if (isEnded) return await working;
      else await promise;
    }
  } finally {
    stopping.abort(new Error("the reader of the progress has gone"));
  }
}
