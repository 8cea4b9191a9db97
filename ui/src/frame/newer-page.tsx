// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useEffect, useState } from "react";
import { useHop, usePage } from "../app/page-context.ts";
import { isTyping } from "./keys.ts";
import styles from "./newer-page.module.css";
import { decidePageMove, type PageSight } from "./page-move.ts";

/** Where a tab keeps, over its reload, what it was reloaded for. */
const key = "flotilla-reloaded-for";

/** How often it is looked whether nothing stands in the way of a reload any more. */
const lookMs = 1_000;

/** How long the hub may take to say that its page is there. Beyond, it is asked again. */
const answerMs = 5_000;

/** Goes over to the page that the hub serves where that is not this one, at a moment when nothing is lost; until then it says so (PG26). */
export function NewerPage(): ReactNode {
  const { pageVersion: running } = usePage();
  const hop = useHop();
  // A hub that is lost cannot give us its page.
  const served = hop.kind === "open" ? hop.pageVersion : "";
  // As it was when this page was loaded: the mark that this page sets is for the one after it. What helped, or is no longer wanted, does not count later.
  const [reloadedFor, setReloadedFor] = useState(() => sessionStorage.getItem(key) ?? undefined);
  if (served === running && reloadedFor !== undefined) setReloadedFor(undefined);
  useEffect(() => {
    if (reloadedFor === undefined) sessionStorage.removeItem(key);
  }, [reloadedFor]);
  const isOther = running !== "" && served !== "" && running !== served;
  return (
    <div role="status">
      {isOther && <OtherPage key={served} running={running} served={served} reloadedFor={reloadedFor} />}
    </div>
  );
}

function OtherPage({ running, served, reloadedFor }: Pick<PageSight, "running" | "served" | "reloadedFor">): ReactNode {
  useEffect(() => {
    const ending = new AbortController();
    /** An attempt is under way, or was made: a second reload would begin the first anew. */
    let isBegun = false;
    const isTime = (): boolean => decidePageMove({ running, served, reloadedFor, ...lookAround() }) === "reload";
    const look = async (): Promise<void> => {
      if (isBegun || !isTime()) return;
      isBegun = true;
      // From a hub that has just gone again a reload would bring the browser's own error in the page's place.
      const isThere = await isPageThere(ending.signal);
      if (isThere && isTime()) reloadFor(served);
      else isBegun = false;
    };
    void look();
    const timer = setInterval(() => void look(), lookMs);
    return () => {
      clearInterval(timer);
      ending.abort();
    };
  }, [running, served, reloadedFor]);
  const isKept = reloadedFor === served;
  return (
    <p className={styles["line"]} data-newer-page={isKept ? "kept" : "offered"}>
      {isKept
        ? "The hub serves a newer page, but a reload brought this one again: something between this browser and the hub keeps it."
        : "A newer page is here."}{" "}
      <button type="button" onClick={() => reloadFor(served)}>
        Reload
      </button>
    </p>
  );
}

/** What a reload would interrupt: a dialog, typing, reading what is held still. What it would lose: what is marked so where it is shown. */
function lookAround(): Pick<PageSight, "isHidden" | "isEngaged" | "hasUnsaved"> {
  return {
    isHidden: document.visibilityState === "hidden",
    isEngaged: document.querySelector("dialog[open], [data-held]") !== null || isTyping(document.activeElement),
    hasUnsaved: document.querySelector("[data-unsaved]") !== null,
  };
}

/** Whether a reload would be answered; false too when the signal aborts first. */
function isPageThere(signal: AbortSignal): Promise<boolean> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  return fetch(globalThis.location.href, { method: "HEAD", cache: "no-cache", signal: within }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function reloadFor(served: string): void {
  sessionStorage.setItem(key, served);
  globalThis.location.reload();
}
