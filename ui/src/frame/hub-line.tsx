// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { useHop, usePage } from "../app/page-context.ts";
import { durationWords } from "../time/duration-words.ts";
import { useSecond } from "../time/ticker.ts";
import styles from "./hub-line.module.css";

/** Shows that the hub is lost, for how long, and the next attempt (PG18). Empty while connected. */
export function HubLine(): ReactNode {
  const hop = useHop();
  return (
    <div role="alert" className={styles["place"]}>
      {hop.kind === "lost" && <LostLine {...hop} />}
    </div>
  );
}

function LostLine({
  sinceMs,
  sentence,
  nextAttemptMs,
}: {
  readonly sinceMs: number;
  readonly sentence: string;
  readonly nextAttemptMs: number | undefined;
}): ReactNode {
  const { link } = usePage();
  const nowMs = Math.max(useSecond(), sinceMs);
  return (
    <p className={styles["line"]} data-hub="lost">
      <b>The hub is lost for {durationWords(nowMs - sinceMs)}.</b> {withStop(sentence)} This page shows the state at
      that time.{" "}
      {nextAttemptMs === undefined ? "Trying now." : `Next try in ${durationWords(nextAttemptMs - nowMs + 999)}.`}{" "}
      <button type="button" onClick={() => link.retryNow()}>
        Retry now
      </button>
    </p>
  );
}

function withStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
