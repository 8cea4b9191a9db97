// SPDX-License-Identifier: Apache-2.0
// Decides what to do when the hub serves another version of the page than the running one (PG26).

/** Inputs of the decision. A version is the path of a page's script below /ui/; "": unknown. */
export interface PageSight {
  /** Version of the running page. */
  readonly running: string;
  /** Version of the page that the hub serves. */
  readonly served: string;
  /** Version for which this tab was reloaded before the running page was loaded; undefined: not reloaded. */
  readonly reloadedFor: string | undefined;
  /** The tab is hidden. */
  readonly isHidden: boolean;
  /** A reload would interrupt the viewer. */
  readonly isEngaged: boolean;
  /** A reload would lose something, even in a hidden tab. */
  readonly hasUnsaved: boolean;
}

/**
 * `stay`: same version; `reload`: now, without loss; `offer`: only on request; `warn`: a reload did not bring the
 * served version, so repeating it would loop.
 */
export type PageMove = "stay" | "reload" | "offer" | "warn";

export function decidePageMove(sight: PageSight): PageMove {
  const { running, served, reloadedFor, isHidden, isEngaged, hasUnsaved } = sight;
  if (running === "" || served === "" || running === served) return "stay";
  if (reloadedFor === served) return "warn";
  return hasUnsaved || (isEngaged && !isHidden) ? "offer" : "reload";
}

/** The name of the built entry. The development server uses no hash, so its page has no version. */
const builtEntry = /\/ui\/(assets\/[^/]+-[\w-]{8}\.js)$/;

/** The version of the page with this entry script. */
export function versionOfEntry(url: string): string {
  return builtEntry.exec(new URL(url).pathname)?.[1] ?? "";
}
