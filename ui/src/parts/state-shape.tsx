// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import type { ShownState } from "../words/connection-words.ts";
import styles from "./state-badge.module.css";

/**
 * The shapes of connection states: round, and distinguishable without colour at 10 px. Object statuses are square, so
 * that a broken Pod does not look like a lost cluster.
 */
const shapes: Readonly<Record<ShownState, (progress: number) => ReactNode>> = {
  live: () => <circle cx="8" cy="8" r="6.5" fill="currentColor" />,
  catchingUp: (progress) => (
    <>
      <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="2" />
      <path d={slice(progress)} fill="currentColor" />
    </>
  ),
  stale: () => <path d="M8 1.5a6.5 6.5 0 1 0 6.5 6.5H8z" fill="currentColor" />,
  disconnected: () => (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2.4" />
      <path d="M2.6 13.4 13.4 2.6" stroke="currentColor" strokeWidth="2.4" />
    </>
  ),
  neverSeen: () => (
    <circle cx="8" cy="8" r="6.3" fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="2.2 2.75" />
  ),
  paused: () => <circle cx="8" cy="8" r="6.5" fill="currentColor" />,
  rejected: () => (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2.4" />
      <path d="M4.5 8h7" stroke="currentColor" strokeWidth="2.8" />
    </>
  ),
  unknown: () => (
    <>
      <circle cx="8" cy="8" r="6.3" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <circle cx="8" cy="8" r="1.6" fill="currentColor" />
    </>
  ),
};

/**
 * The shape of a state. `progress` is 0 to 1 and used for `catchingUp` only. Hidden from screen readers: the word is
 * beside it.
 */
export function StateShape({
  state,
  progress = 0,
  isPaused = false,
}: {
  readonly state: ShownState;
  readonly progress?: number;
  readonly isPaused?: boolean;
}): ReactNode {
  return (
    <svg className={`${styles["shape"]} ${styles[state]}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[state](progress)}
      {isPaused && <path d="M5.5 3.5v9M10.5 3.5v9" stroke="var(--ground)" strokeWidth="4" />}
      {isPaused && <path d="M5.5 4v8M10.5 4v8" stroke="var(--text)" strokeWidth="2" />}
    </svg>
  );
}

/** A slice of the disc from twelve o'clock, clockwise. */
function slice(progress: number): string {
  const part = Math.min(Math.max(progress, 0), 0.999);
  const angle = 2 * Math.PI * part;
  const [x, y] = [8 + 5 * Math.sin(angle), 8 - 5 * Math.cos(angle)];
  return `M8 8V3A5 5 0 ${part > 0.5 ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}z`;
}
