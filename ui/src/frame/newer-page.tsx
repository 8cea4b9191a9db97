// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useEffect, useState } from "react";
import { useHop, usePage } from "../app/page-context.ts";
import { isTyping } from "./keys.ts";
import styles from "./newer-page.module.css";
import { decidePageMove, type PageSight } from "./page-move.ts";

/** Session storage key of the version for which this tab was last reloaded. */
const key = "flotilla-reloaded-for";

/** Interval of checks whether a reload is now possible. */
const checkMs = 1_000;

/** Timeout of the check that the hub serves its page. It is repeated afterwards. */
const answerMs = 5_000;

/**
 * Reloads when the hub serves another version of the page, as soon as nothing is lost by it. Until then it shows a
 * notice (PG26).
 */
export function NewerPage(): ReactNode {
  const { pageVersion: running } = usePage();
  const hop = useHop();
  // A lost hub cannot serve the page.
  const served = hop.kind === "open" ? hop.pageVersion : "";
  // Read when the page loads: the mark that this page sets is for its successor. It is cleared once it no longer
  // applies.
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
    /** An attempt is running or was made: a second reload would restart the first. */
    let hasBegun = false;
    const canReload = (): boolean => decidePageMove({ running, served, reloadedFor, ...readPageState() }) === "reload";
    const check = async (): Promise<void> => {
      if (hasBegun || !canReload()) return;
      hasBegun = true;
      // Reloading from a hub that is gone would replace the page with the browser's error page.
      const isThere = await isPageThere(ending.signal);
      if (isThere && canReload()) reloadFor(served);
      else hasBegun = false;
    };
    void check();
    const timer = setInterval(() => void check(), checkMs);
    return () => {
      clearInterval(timer);
      ending.abort();
    };
  }, [running, served, reloadedFor]);
  const isKept = reloadedFor === served;
  return (
    <p className={styles["line"]} data-newer-page={isKept ? "kept" : "offered"}>
      {isKept
        ? "The hub serves a newer page, but a reload brought this one again: a cache between this browser and the hub still serves it."
        : "A newer version of this page is available."}{" "}
      <button type="button" onClick={() => reloadFor(served)}>
        Reload
      </button>
    </p>
  );
}

/** What a reload would interrupt (a dialog, typing, reading) or lose (elements marked as unsaved). */
function readPageState(): Pick<PageSight, "isHidden" | "isEngaged" | "hasUnsaved"> {
  return {
    isHidden: document.visibilityState === "hidden",
    isEngaged: document.querySelector("dialog[open], [data-held]") !== null || isTyping(document.activeElement),
    hasUnsaved: document.querySelector("[data-unsaved]") !== null,
  };
}

/** Whether the hub would answer a reload; false when the signal aborts first. */
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
