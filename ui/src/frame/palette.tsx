// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import { useFleet } from "../app/page-context.ts";
import { Sheet } from "../parts/sheet.tsx";
import { StateShape } from "../parts/state-shape.tsx";
import { type ShownState, shownState } from "../words/connection-words.ts";
import styles from "./palette.module.css";
import { rankMatches } from "./rank-matches.ts";

interface Entry {
  readonly name: string;
  readonly hint: string;
  readonly state: ShownState | undefined;
  readonly open: () => void;
}

/** Maximum matches shown; more letters narrow the search. */
const shownCount = 12;

/** Finds pages and clusters by a few letters of their names. */
export function Palette({
  places,
  onClose,
}: {
  readonly places: readonly { readonly to: "/" | "/changes" | "/add"; readonly title: string; readonly keys: string }[];
  readonly onClose: () => void;
}): ReactNode {
  const navigate = useNavigate();
  const shown = useFleet();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const clusters = shown.kind === "shown" ? [...shown.value.clusters.values()] : [];
  const entries: readonly Entry[] = [
    ...places.map(({ to, title, keys }) => ({
      name: title,
      hint: keys,
      state: undefined,
      open: () => void navigate({ to }),
    })),
    ...clusters.map(({ id, region, connection }) => ({
      name: id,
      hint: region,
      state: shownState(connection),
      open: () => void navigate({ to: "/clusters/$name", params: { name: id } }),
    })),
  ];
  const found = rankMatches(entries, text).slice(0, shownCount);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.open();
  };
  const move = (by: number): void => setAt(Math.min(Math.max(at + by, 0), Math.max(found.length - 1, 0)));

  return (
    <Sheet title="Find" isTitleShown={false} onClose={onClose}>
      <input
        className={styles["input"]}
        role="combobox"
        aria-label="Find a page or a cluster"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length === 0 ? undefined : `${listId}-${at}`}
        placeholder="Page or cluster"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else if (event.key === "Enter") choose(found[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div id={listId} role="listbox" aria-label="Found" className={styles["list"]}>
        {found.map((entry, index) => (
          // Keys are handled by the input above, as in every combobox.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={entry.name}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            className={styles["entry"]}
            onClick={() => choose(entry)}
          >
            {entry.state === undefined ? <span className={styles["page"]}>→</span> : <StateShape state={entry.state} />}
            <span>{entry.name}</span>
            <span className={styles["hint"]}>{entry.hint}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className={styles["none"]}>No matches.</p>}
    </Sheet>
  );
}
