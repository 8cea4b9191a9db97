// SPDX-License-Identifier: Apache-2.0
// Key bindings of the page: a table to which mounted components add. The sheet behind `?` shows it.
import { useEffect, useRef, useSyncExternalStore } from "react";

/** A key or a sequence of two: "j", "/", "g f". With Control or Command: "mod+k". */
export interface KeyBinding {
  readonly keys: string;
  readonly what: string;
  readonly run: () => void;
}

/** Maximum time between the two keys of a sequence, by their event timestamps: a busy page handles them later. */
const pairMs = 1_200;

const bindings = new Set<KeyBinding>();
const listeners = new Set<() => void>();
let listed: readonly KeyBinding[] = [];
let firstKey: { readonly key: string; readonly atMs: number } | undefined;

function changed(): void {
  listed = [...bindings];
  for (const listener of listeners) listener();
}

/** Binds a key while the component is mounted. The newest binding of a key wins. */
export function useKey(keys: string, what: string, run: () => void): void {
  const newest = useRef(run);
  useEffect(() => {
    newest.current = run;
  });
  useEffect(() => {
    const binding: KeyBinding = { keys, what, run: () => newest.current() };
    bindings.add(binding);
    changed();
    return () => {
      bindings.delete(binding);
      changed();
    };
  }, [keys, what]);
}

/** Every current binding, oldest first. */
export function useKeyBindings(): readonly KeyBinding[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => listed,
  );
}

/** True if the target is an input that receives the typed text. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}

/** The binding that a key press completes; undefined if the press is not for the page. */
export function takeKey(event: KeyboardEvent): KeyBinding | undefined {
  // An open dialog receives all keys: Esc must close it and nothing behind it.
  if (document.querySelector("dialog[open]") !== null) return undefined;
  const isMod = event.ctrlKey || event.metaKey;
  if (event.altKey || event.defaultPrevented || (isTyping(event.target) && !isMod)) return undefined;
  const key = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
  const pair =
    firstKey !== undefined && event.timeStamp - firstKey.atMs <= pairMs ? `${firstKey.key} ${key}` : undefined;
  firstKey = undefined;
  const found = find(pair) ?? find(key);
  if (found === undefined && [...bindings].some(({ keys }) => keys.startsWith(`${key} `))) {
    firstKey = { key, atMs: event.timeStamp };
  }
  return found;
}

function find(keys: string | undefined): KeyBinding | undefined {
  return keys === undefined ? undefined : [...bindings].findLast((binding) => binding.keys === keys);
}
