// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tickedMs = performance.now();

function tick(): void {
  tickedMs = performance.now();
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * The local monotonic clock at the last tick. Renders the component every second, all components together: use it only
 * to show ages.
 */
export function useSecond(): number {
  return useSyncExternalStore(listen, () => tickedMs);
}
