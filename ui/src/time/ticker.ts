// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tickCount = 0;

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    tickCount += 1;
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Draws the component again every second, all of them together. Only what shows an age needs it. */
export function useSeconds(): number {
  return useSyncExternalStore(listen, () => tickCount);
}
