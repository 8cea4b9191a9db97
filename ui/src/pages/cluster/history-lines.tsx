// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useState } from "react";
import type { HistoryEntry, HistoryList } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { WallAge } from "../../parts/wall-age.tsx";
import { connectionWords, parseConnectionState } from "../../words/connection-words.ts";
import { reasonWords } from "../../words/incident-words.ts";
import styles from "./history-lines.module.css";
import { Section } from "./section.tsx";

/** Lines shown initially; the rest on request. */
const shortCount = 12;

/**
 * The cluster's history, newest first: states, sessions accepted, rejected, ended and fenced, and administrative
 * changes.
 */
export function HistoryLines({ history }: { readonly history: HistoryList }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const { entries } = history;
  const shown = isWhole ? entries : entries.slice(0, shortCount);
  return (
    <Section title="History">
      {entries.length === 0 && <p className={styles["none"]}>No events yet.</p>}
      <ol className={styles["list"]}>
        {shown.map((entry, index) => (
          // Entries have no id; the list grows only at its head and is rendered whole.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={`${entry.atWallMs} ${index}`} className={styles["line"]} data-what={entry.what}>
            <WallAge atMs={Number(entry.atWallMs)} suffix=" ago" />
            <span>{entryWords(entry)}</span>
          </li>
        ))}
      </ol>
      {entries.length > shown.length && (
        <button type="button" className={styles["more"]} onClick={() => setWhole(true)}>
          Show {entries.length - shown.length} more
        </button>
      )}
    </Section>
  );
}

function entryWords({ what, state, reason, sentence, agentId, address, epoch }: HistoryEntry): string {
  const who = [agentId, address].filter((part) => part !== "").join(" at ");
  switch (what) {
    case "state": {
      const { word } = connectionWords(parseConnectionState(state));
      const why = sentence === "" ? (reason === "" || reason === "none" ? "" : reasonWords(reason)) : sentence;
      return why === "" ? `now ${word}` : `now ${word}: ${why}`;
    }
    case "accepted":
      return `session ${epoch} began, agent ${who}`;
    case "rejected":
      return `agent ${who} was rejected: ${sentence === "" ? reason : sentence}`;
    case "administered":
      return sentence;
    case "fenced":
      return `session ${epoch} was fenced: a newer one took its place`;
    case "ended":
      return `session ${epoch} ended: ${sentence === "" ? reasonWords(reason) : sentence}`;
    default:
      return [what, reason, sentence].filter((part) => part !== "").join(", ");
  }
}
