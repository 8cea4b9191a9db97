// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { connectionWords, type ShownState } from "../words/connection-words.ts";
import styles from "./state-badge.module.css";
import { StateShape } from "./state-shape.tsx";

/** A connection state as shape, colour and word. `children` are shown beside the word (age, progress). */
export function StateBadge({
  state,
  progress,
  isPaused = false,
  children,
}: {
  readonly state: ShownState;
  readonly progress?: number;
  readonly isPaused?: boolean;
  readonly children?: ReactNode;
}): ReactNode {
  const { word } = connectionWords(state);
  return (
    <span className={styles["badge"]}>
      <StateShape state={state} isPaused={isPaused} {...(progress === undefined ? {} : { progress })} />
      <span className={styles[state]}>{isPaused && state !== "paused" ? `paused, ${word}` : word}</span>
      {children}
    </span>
  );
}
