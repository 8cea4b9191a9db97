// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { usePage } from "../app/page-context.ts";
import { durationWords } from "../time/duration-words.ts";
import { useSecond } from "../time/ticker.ts";

/**
 * The age of a wall-clock time, by the hub's wall clock: for times from an earlier run of the hub or from a cluster.
 */
export function WallAge({
  atMs,
  prefix = "",
  suffix = "",
}: {
  readonly atMs: number;
  readonly prefix?: string;
  readonly suffix?: string;
}): ReactNode {
  useSecond();
  const now = usePage().link.clock.wallNow();
  if (now === undefined) return null;
  const at = new Date(atMs);
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString()}>
      {prefix}
      {durationWords(now.getTime() - atMs)}
      {suffix}
    </time>
  );
}
