// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { usePage } from "../app/page-context.ts";
import { durationWords, freshMs } from "../time/duration-words.ts";
import { useSecond } from "../time/ticker.ts";

/** The age of a hub time in words, with the exact time on hover. Empty while fresh, unless `isAlways`. */
export function Age({
  atMs,
  isAlways = false,
  prefix = "",
  suffix = "",
}: {
  readonly atMs: number | bigint;
  readonly isAlways?: boolean;
  readonly prefix?: string;
  readonly suffix?: string;
}): ReactNode {
  useSecond();
  const { clock } = usePage().link;
  const ageMs = clock.ageMs(Number(atMs));
  if (ageMs === undefined || (!isAlways && ageMs < freshMs)) return null;
  const at = clock.wallAt(Number(atMs));
  return (
    <time dateTime={at?.toISOString()} title={at?.toLocaleString()}>
      {prefix}
      {durationWords(ageMs)}
      {suffix}
    </time>
  );
}

/** The time until a hub time: "in 12 s", or "now" once it has passed. */
export function Countdown({ atMs }: { readonly atMs: number | bigint }): ReactNode {
  useSecond();
  const ageMs = usePage().link.clock.ageMs(Number(atMs)) ?? 0;
  return ageMs >= 0 ? "now" : `in ${durationWords(-ageMs + 999)}`;
}
