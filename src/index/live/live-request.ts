// SPDX-License-Identifier: Apache-2.0
// What a live view shows, and what it reads.
import type { Visibility } from "../../rbac/visibility.ts";
import type { FieldRef, SortField } from "../language/field-ref.ts";
import type { Predicate } from "../language/query-predicate.ts";
import type { QueriedFleet } from "../query/query-request.ts";
import type { LiveBudget } from "./live-budget.ts";
import type { TableSlots } from "./table-slots.ts";

/** What a live view shows of the rows that it selects. */
export interface LiveQuestion {
  readonly filter: Predicate;
  /** The most rows of the page; 0 for none. */
  readonly limit: number;
  /** Then by key. Empty: by key. */
  readonly sort: readonly SortField[];
  readonly facets: readonly FieldRef[];
}

/** A live query of one user, or of several with the same grants. */
export interface LiveRequest extends LiveQuestion {
  /** What the user may see in live views, at this moment (L17). */
  readonly visibilityOf: (cluster: string, resource: string) => Visibility;
  /** Another value after each change of what the user sees in the cluster. */
  readonly accessKeyOf: (cluster: string) => string | number;
}

/** The tables that live views read, and the bound of what they keep of them. */
export interface LiveFleet {
  readonly fleet: QueriedFleet;
  readonly slots: TableSlots;
  readonly budget: LiveBudget;
  /** Another number each time that what some user sees may have changed. */
  readonly accessVersion: () => number;
  /** Rows looked at in one slice. Default: about 2 ms of work. */
  readonly sliceRows?: number;
  /** Rows held beyond the page: so many can leave it before all tables are read again. Default: by its limit. */
  readonly spareRows?: number;
  /** The time after which a query with ages that keeps no parts is run again. Default: 5 s. */
  readonly wholeAgeMs?: number;
}
