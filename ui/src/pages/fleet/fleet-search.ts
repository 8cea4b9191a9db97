// SPDX-License-Identifier: Apache-2.0
import type { FleetLook } from "./arrange-fleet.ts";

/** The state of the fleet page that is in the address (PG21); omitted values are defaults. */
export interface FleetSearch {
  readonly filter?: string | undefined;
  readonly group?: string | undefined;
  readonly sort?: string | undefined;
  readonly down?: boolean | undefined;
  readonly as?: "table" | undefined;
  readonly folded?: readonly string[] | undefined;
}

/** Addresses are untrusted: values of the wrong type are ignored. */
export function parseFleetSearch(search: Readonly<Record<string, unknown>>): FleetSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? value.slice(0, 500) : undefined;
  };
  const { folded } = search;
  const names = Array.isArray(folded) ? folded.filter((name) => typeof name === "string").slice(0, 500) : [];
  return {
    filter: text("filter"),
    group: text("group"),
    sort: text("sort"),
    down: search["down"] === true ? true : undefined,
    as: search["as"] === "table" ? "table" : undefined,
    folded: names.length > 0 ? names : undefined,
  };
}

export function toFleetLook({ filter = "", group = "region", sort = "worst", down = false }: FleetSearch): FleetLook {
  return { filter, group: group === "none" ? "" : group, sort, isDescending: down };
}
