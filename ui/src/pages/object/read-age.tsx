// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { durationWords } from "../../time/duration-words.ts";
import { useSecond } from "../../time/ticker.ts";

/** The local wall clock, compared only with itself: unlike a monotonic clock it continues while a laptop sleeps. */
export function localWallMs(): number {
  return Date.now();
}

/** The age of a read by `localWallMs`. Always shown: a read does not follow its object. */
export function ReadAge({ atMs }: { readonly atMs: number }): ReactNode {
  useSecond();
  const at = new Date(atMs);
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString()} data-read-age="">
      Read {durationWords(localWallMs() - atMs)} ago
    </time>
  );
}
