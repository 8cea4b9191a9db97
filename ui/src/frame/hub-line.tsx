// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { useHop, usePage } from "../app/page-context.ts";
import { durationWords } from "../time/duration-words.ts";
import { useSecond } from "../time/ticker.ts";
import styles from "./hub-line.module.css";

/** Says that the hub itself is lost, since when and what is done about it (PG18). Nothing while it is there. */
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
      <b>The hub is lost for {durationWords(nowMs - sinceMs)}.</b> {withStop(sentence)} What you see is as of then.{" "}
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
