// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { StateShape } from "../../parts/state-shape.tsx";
import { connectionStates, connectionWords } from "../../words/connection-words.ts";
import { countWords } from "../../words/count-words.ts";
import { countUnhealthy, type FleetGroup } from "./arrange-fleet.ts";
import styles from "./group-header.module.css";

/** The header of a group: name, size, a bar of states, and the counts of each state. Clicking it folds the group. */
export function GroupHeader({
  group,
  field,
  isFolded,
  onFold,
}: {
  readonly group: FleetGroup;
  readonly field: string;
  readonly isFolded: boolean;
  readonly onFold: () => void;
}): ReactNode {
  const total = group.clusters.length;
  const { objects: unhealthy } = countUnhealthy(group.clusters);
  const present = connectionStates.filter((state) => group.counts[state] > 0);
  return (
    <button type="button" className={styles["header"]} aria-expanded={!isFolded} onClick={onFold}>
      <span className={styles["mark"]} aria-hidden="true">
        {isFolded ? "▸" : "▾"}
      </span>
      <span className={styles["name"]}>{group.name === "" ? `no ${fieldWords(field)}` : group.name}</span>
      <span className={styles["total"]}>{countWords(total, "cluster")}</span>
      <svg className={styles["bar"]} viewBox={`0 0 ${total} 1`} preserveAspectRatio="none" aria-hidden="true">
        {toSpans(present.map((state) => [state, group.counts[state]])).map(({ state, from, length }) => (
          <rect key={state} className={styles[state]} x={from} y={0} width={length} height={1} />
        ))}
      </svg>
      {present.map((state) => (
        <span key={state} className={styles["count"]}>
          <StateShape state={state} />
          {countWords(group.counts[state])} <span className={styles["word"]}>{connectionWords(state).countWord}</span>
        </span>
      ))}
      {unhealthy > 0 && (
        <span className={styles["count"]} data-unhealthy={unhealthy}>
          {countWords(unhealthy)} <span className={styles["word"]}>unhealthy</span>
        </span>
      )}
    </button>
  );
}

/** A field as a word: "label:team" is "team". */
export function fieldWords(field: string): string {
  return field.startsWith("label:") ? field.slice("label:".length) : field;
}

interface Span<T> {
  readonly state: T;
  readonly from: number;
  readonly length: number;
}

function toSpans<T>(counts: readonly (readonly [T, number])[]): readonly Span<T>[] {
  let from = 0;
  return counts.map(([state, length]) => {
    const span = { state, from, length };
    from += length;
    return span;
  });
}
