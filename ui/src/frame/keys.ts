// SPDX-License-Identifier: Apache-2.0
// Keys of the page, as a table that components add to while they are shown; the sheet behind `?` is that table.
import { useEffect, useRef, useSyncExternalStore } from "react";

/** A key or two in a row: "j", "/", "g f". With Control or Command: "mod+k". */
export interface KeyBinding {
  readonly keys: string;
  readonly what: string;
  readonly run: () => void;
}

/** The longest time between the two keys of a pair, by when they were pressed: a busy page gets them later. */
const pairMs = 1_200;

const bindings = new Set<KeyBinding>();
const listeners = new Set<() => void>();
let listed: readonly KeyBinding[] = [];
let firstKey: { readonly key: string; readonly atMs: number } | undefined;

function changed(): void {
  listed = [...bindings];
  for (const listener of listeners) listener();
}

/** A key for as long as the component is shown. The newest binding of a key counts. */
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

/** Every binding that counts now, the oldest first. */
export function useKeyBindings(): readonly KeyBinding[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => listed,
  );
}

/** True where what is typed is meant for the field it is typed into. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}

/** The binding that a key press completes, if it is meant for the page. */
export function takeKey(event: KeyboardEvent): KeyBinding | undefined {
  // A dialog has the keys to itself: Esc closes it and not what lies behind.
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
