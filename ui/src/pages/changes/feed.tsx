// SPDX-License-Identifier: Apache-2.0
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useMemo, useState } from "react";
import { useKey } from "../../frame/keys.ts";
import type { ChangesPicture, FeedLine } from "../../views/changes-fold.ts";
import { countWords } from "../../words/count-words.ts";
import { type ObjectAddress, objectKey } from "../object/object-address.ts";
import type { LinkLook } from "../object/object-link.tsx";
import { ObjectWalk } from "../object/object-walk.tsx";
import { addressOf, ChangeLine } from "./change-line.tsx";
import styles from "./feed.module.css";

/** Line height in pixels, as in the style sheet. */
const lineHeight = 28;

/** Scrolled further than this, the viewer reads and the feed pauses. */
const readingPx = 40;

/** Why the feed is paused. */
type Hold = "hover" | "scroll" | "key" | "open";

/** The lines of the feed. It pauses while the viewer reads or has an object open, and shows how many changes wait. */
export function Feed({
  fleetRows,
  look: { open, openKey, searchText },
}: {
  readonly fleetRows: ChangesPicture;
  readonly look: LinkLook;
}): ReactNode {
  const { lines, lastNumber, beginning } = fleetRows;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const [holds, setHolds] = useState<ReadonlySet<Hold>>(new Set());
  /** The newest line shown while paused. */
  const [heldAt, setHeldAt] = useState<number>();
  const [seenBeginning, setSeenBeginning] = useState(beginning);
  if (seenBeginning !== beginning) {
    // The held lines are gone after a snapshot: hold at the new end.
    setSeenBeginning(beginning);
    if (heldAt !== undefined) setHeldAt(lastNumber);
  }
  const setHold = (hold: Hold, isHeld: boolean): void => {
    if (holds.has(hold) === isHeld) return;
    const next = new Set(holds);
    if (isHeld) next.add(hold);
    else next.delete(hold);
    setHolds(next);
    setHeldAt(next.size === 0 ? undefined : (heldAt ?? lastNumber));
  };
  const isOpen = open !== undefined;
  const [seenOpen, setSeenOpen] = useState(false);
  if (seenOpen !== isOpen) {
    // The list must not move while the viewer steps through it.
    setSeenOpen(isOpen);
    setHold("open", isOpen);
  }
  useKey("p", "Pause or resume the changes", () => setHold("key", !holds.has("key")));
  const visible = useMemo(
    () => lines.filter(({ number }) => heldAt === undefined || number <= heldAt).toReversed(),
    [lines, heldAt],
  );
  const virtual = useVirtualizer({
    count: visible.length,
    getScrollElement: () => scroller,
    estimateSize: () => lineHeight,
    getItemKey: (index) => visible[index]?.number ?? index,
    overscan: 12,
  });
  const objects = useMemo(() => listObjects(visible), [visible]);
  const showLine = (address: ObjectAddress): void => {
    const key = objectKey(address);
    virtual.scrollToIndex(visible.findIndex((line) => keyOf(line) === key));
  };
  const waitingCount = heldAt === undefined ? 0 : lastNumber - heldAt;
  const resume = (): void => {
    setHolds(new Set());
    setHeldAt(undefined);
    scroller?.scrollTo({ top: 0 });
  };
  return (
    <>
      {open !== undefined && <ObjectWalk list={objects} open={open} beside="changes" onStep={showLine} />}
      <p className={styles["status"]} aria-live="polite">
        {heldAt === undefined ? (
          "Live. It pauses while you point at it or scroll."
        ) : (
          <>
            Paused, {countWords(waitingCount, "change waits", "changes wait")}.{" "}
            <button type="button" onClick={resume}>
              Resume
            </button>
          </>
        )}
      </p>
      {visible.length === 0 && <p className={styles["quiet"]}>No changes lately. New ones appear here.</p>}
      <div
        ref={setScroller}
        className={styles["scroller"]}
        data-held={heldAt === undefined ? undefined : ""}
        role="log"
        aria-label="Changes, the newest first"
        aria-live="off"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by key
        tabIndex={0}
        onPointerEnter={() => setHold("hover", true)}
        onPointerLeave={() => setHold("hover", false)}
        onScroll={({ currentTarget }) => setHold("scroll", currentTarget.scrollTop > readingPx)}
      >
        <div className={styles["canvas"]} style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const line = visible[index];
            return line === undefined ? null : (
              <div key={key} className={styles["line"]} style={{ transform: `translateY(${start}px)` }}>
                <ChangeLine
                  line={line}
                  isOpen={openKey !== undefined && keyOf(line) === openKey}
                  searchText={searchText}
                />
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

function keyOf(line: FeedLine): string | undefined {
  const address = addressOf(line);
  return address && objectKey(address);
}

/** The objects of the lines, each at its first position. */
function listObjects(lines: readonly FeedLine[]): readonly ObjectAddress[] {
  const byKey = new Map<string, ObjectAddress>();
  for (const line of lines) {
    const address = addressOf(line);
    const key = keyOf(line);
    if (address !== undefined && key !== undefined && !byKey.has(key)) byKey.set(key, address);
  }
  return [...byKey.values()];
}
