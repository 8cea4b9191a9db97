// SPDX-License-Identifier: Apache-2.0
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useMemo, useState } from "react";
import { useTitle, useView } from "../../app/page-context.ts";
import { useKey } from "../../frame/keys.ts";
import type { ViewWish } from "../../link/link.ts";
import { type ChangesPicture, changesFold } from "../../views/changes-fold.ts";
import { countWords } from "../../words/count-words.ts";
import { ChangeLine } from "./change-line.tsx";
import styles from "./changes-page.module.css";
import { type ChangesSearch, toChangesView } from "./changes-search.ts";

/** A line's height in pixels, as the style sheet has it. */
const lineHeight = 28;

/** Further down than this, somebody reads: the feed holds still. */
const readingPx = 40;

/** What changed lately in the fleet and what changes, as it happens, the newest first. It holds still while one reads, and says how many wait. */
export function ChangesPage(): ReactNode {
  const search = useSearch({ from: "/frame/changes" });
  const navigate = useNavigate();
  const wish = useMemo<ViewWish>(() => ({ case: "changes", value: toChangesView(search) }), [search]);
  const shown = useView(wish, changesFold);
  useTitle("Changes");
  const change = (some: ChangesSearch): void => {
    void navigate({ to: ".", search: (before) => ({ ...before, ...some }), replace: true });
  };
  return (
    <section className={styles["page"]} aria-label="Changes">
      <h1 className="hidden-text">Changes</h1>
      <search className={styles["filters"]}>
        <Filter name="cluster" label="Clusters" search={search} onChange={change} />
        <Filter name="namespace" label="Namespaces" search={search} onChange={change} />
        <Filter name="kind" label="Kinds, as pods or apps/deployments" search={search} onChange={change} />
      </search>
      {shown.kind === "loading" && <p className={styles["quiet"]}>Asking the hub for its changes.</p>}
      {shown.kind === "refused" && (
        <p role="alert" className={styles["quiet"]}>
          {shown.refusal.message}
        </p>
      )}
      {shown.kind === "shown" && <Feed picture={shown.value} />}
    </section>
  );
}

function Filter({
  name,
  label,
  search,
  onChange,
}: {
  readonly name: keyof ChangesSearch;
  readonly label: string;
  readonly search: ChangesSearch;
  readonly onChange: (some: ChangesSearch) => void;
}): ReactNode {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      defaultValue={search[name] ?? ""}
      // Another filter is another subscription, so it is asked for when it is whole.
      onBlur={({ target }) => onChange({ [name]: target.value === "" ? undefined : target.value })}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}

/** Why the feed holds still. */
type Hold = "hover" | "scroll" | "key";

function Feed({ picture }: { readonly picture: ChangesPicture }): ReactNode {
  const { lines, lastNumber, beginning } = picture;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const [holds, setHolds] = useState<ReadonlySet<Hold>>(new Set());
  /** The newest line that is shown while it holds still. */
  const [heldAt, setHeldAt] = useState<number>();
  const [seenBeginning, setSeenBeginning] = useState(beginning);
  if (seenBeginning !== beginning) {
    // What was held is no longer there: it holds at what came in its place.
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
  useKey("p", "Hold the changes still, or let them go on", () => setHold("key", !holds.has("key")));
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
  const waitingCount = heldAt === undefined ? 0 : lastNumber - heldAt;
  const goOn = (): void => {
    setHolds(new Set());
    setHeldAt(undefined);
    scroller?.scrollTo({ top: 0 });
  };
  return (
    <>
      <p className={styles["status"]} aria-live="polite">
        {heldAt === undefined ? (
          "Live. It holds still while you point at it or scroll."
        ) : (
          <>
            Held still, {countWords(waitingCount, "change waits", "changes wait")}.{" "}
            <button type="button" onClick={goOn}>
              Go on
            </button>
          </>
        )}
      </p>
      {visible.length === 0 && <p className={styles["quiet"]}>No changes lately. The next ones show here.</p>}
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
                <ChangeLine line={line} />
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}
