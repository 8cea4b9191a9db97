// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { durationWords } from "../../time/duration-words.ts";
import { useSecond } from "../../time/ticker.ts";

/** Of the clock of this machine, compared with itself alone: it goes on while a laptop sleeps, which a monotonic one need not. */
export function localWallMs(): number {
  return Date.now();
}

/** When something was read, by `localWallMs`, in words that grow. Always said: what was read does not follow its object. */
export function ReadAge({ atMs }: { readonly atMs: number }): ReactNode {
  useSecond();
  const at = new Date(atMs);
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString()} data-read-age="">
      Read {durationWords(localWallMs() - atMs)} ago
    </time>
  );
}
