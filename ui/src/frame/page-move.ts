// SPDX-License-Identifier: Apache-2.0
// Which page this is, which one the hub serves, and what follows where they are not the same (PG26).

/** What is known when it is decided. A version is the path of a page's script below /ui/; "" = not known. */
export interface PageSight {
  /** Of the page that runs. */
  readonly running: string;
  /** Of the page that the hub serves. */
  readonly served: string;
  /** What this tab was reloaded for before the page that runs was loaded; undefined = it was not. */
  readonly reloadedFor: string | undefined;
  /** Nobody looks at the tab. */
  readonly isHidden: boolean;
  /** Somebody is in the middle of something that a reload would interrupt. */
  readonly isEngaged: boolean;
  /** Something is here that a reload would lose, whether somebody looks or not. */
  readonly hasUnsaved: boolean;
}

/**
 * `stay`: this is the page; `reload`: now, nothing is lost; `offer`: not now, unless somebody asks for it; `tell`: it was tried and did not bring the page that
 * the hub serves, so that trying again would not end.
 */
export type PageMove = "stay" | "reload" | "offer" | "tell";

export function decidePageMove(sight: PageSight): PageMove {
  const { running, served, reloadedFor, isHidden, isEngaged, hasUnsaved } = sight;
  if (running === "" || served === "" || running === served) return "stay";
  if (reloadedFor === served) return "tell";
  return hasUnsaved || (isEngaged && !isHidden) ? "offer" : "reload";
}

/** As the build names the entry. In the development server it has no hash, and a page there has no version. */
const builtEntry = /\/ui\/(assets\/[^/]+-[\w-]{8}\.js)$/;

/** The version of the page whose entry has this address. */
export function versionOfEntry(url: string): string {
  return builtEntry.exec(new URL(url).pathname)?.[1] ?? "";
}
