// SPDX-License-Identifier: Apache-2.0
import { memo, type ReactNode } from "react";
import { StripCode } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { connectionWords, type ShownState } from "../words/connection-words.ts";
import styles from "./strip.module.css";

const stateOf: ReadonlyMap<number, ShownState> = new Map([
  [StripCode.NEVER_SEEN, "neverSeen"],
  [StripCode.LIVE, "live"],
  [StripCode.CATCHING_UP, "catchingUp"],
  [StripCode.STALE, "stale"],
  [StripCode.DISCONNECTED, "disconnected"],
  [StripCode.REJECTED, "rejected"],
]);

/** Bar height of a state, of 10: problems are high, so that they are visible without colour. */
const heights: Readonly<Record<ShownState, number>> = {
  live: 3,
  catchingUp: 5,
  stale: 7,
  paused: 7,
  rejected: 10,
  disconnected: 10,
  neverSeen: 1,
  unknown: 1,
};

/** The half hours of the last day, oldest first, each with its worst state. Consecutive equal states form one bar. */
export const Strip = memo(DrawnStrip, (before, after) => isSame(before.codes, after.codes));

function DrawnStrip({ codes }: { readonly codes: Uint8Array }): ReactNode {
  const runs = toRuns(codes);
  return (
    <svg
      className={styles["strip"]}
      viewBox={`0 0 ${Math.max(codes.length, 1)} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={stripSentence(codes)}
    >
      {runs.map(({ state, from, length }) => (
        <rect
          key={from}
          className={styles[state]}
          x={from}
          width={length}
          y={10 - heights[state]}
          height={heights[state]}
        />
      ))}
    </svg>
  );
}

/** Every update has a new array, mostly with equal contents. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((code, index) => code === b[index]);
}

interface Run {
  readonly state: ShownState;
  readonly from: number;
  readonly length: number;
}

function toRuns(codes: Uint8Array): readonly Run[] {
  const runs: Run[] = [];
  codes.forEach((code, index) => {
    const state = stateOf.get(code) ?? "neverSeen";
    const last = runs.at(-1);
    if (last?.state === state) runs[runs.length - 1] = { ...last, length: last.length + 1 };
    else runs.push({ state, from: index, length: 1 });
  });
  return runs;
}

/** The strip in words: "Last 24 hours: live.", or "Last 24 hours, of 48 half hours: disconnected in 2." */
function stripSentence(codes: Uint8Array): string {
  const counts = new Map<ShownState, number>();
  for (const code of codes) {
    const state = stateOf.get(code) ?? "neverSeen";
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const trouble = [...counts].filter(([state]) => connectionWords(state).isTrouble || state === "catchingUp");
  if (trouble.length === 0) return counts.has("live") ? "Last 24 hours: live." : "Last 24 hours: not known.";
  const parts = trouble.map(([state, count]) => `${connectionWords(state).word} in ${count}`);
  return `Last 24 hours, of ${codes.length} half hours: ${parts.join(", ")}.`;
}
