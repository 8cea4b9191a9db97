// SPDX-License-Identifier: Apache-2.0
// What happens to a fleet with a live view, and what the view asks.
import * as fc from "fast-check";
import { type RowContent, toResourceVersion } from "../../../model/rows/row.ts";
import type { Visibility } from "../../../rbac/visibility.ts";
import type { Predicate } from "../../language/query-predicate.ts";
import { anyContents, anyQuestion } from "../../query/testing/any-request.ts";
import { twoClusters } from "../../query/testing/plain-fleet.ts";
import { anyVisibility } from "../../scan/testing/any-visibility.ts";
import type { LiveQuestion } from "../live-request.ts";

const plainContent: RowContent = {
  namespace: "a",
  name: "",
  uid: "",
  resourceVersion: toResourceVersion("1"),
  generation: 1,
  createdAt: 500,
  status: "healthy",
  reason: "",
  message: "",
  labels: new Map(),
  annotations: new Map(),
  columns: new Map(),
};

const place = fc.nat({ max: twoClusters.length - 1 });

/** One change of the fleet, of what is visible, or of the time; or a look at the view. */
export type WorldStep =
  | {
      readonly kind: "fold";
      readonly place: number;
      readonly brought: readonly RowContent[];
      readonly deleted: boolean;
      /** The changes are reported one by one. */
      readonly isFlush: boolean;
    }
  | { readonly kind: "delete"; readonly place: number; readonly rows: readonly RowContent[] }
  /** Rows that are in the tables change, so that some of what they had stays. */
  | { readonly kind: "alter"; readonly place: number; readonly change: Partial<RowContent> }
  | { readonly kind: "compact"; readonly place: number }
  /** Tables are compared for other views, and this one is not refreshed. */
  | { readonly kind: "scan" }
  | { readonly kind: "see"; readonly place: number; readonly visibility: Visibility }
  | { readonly kind: "move"; readonly place: number; readonly region: string }
  | { readonly kind: "remove"; readonly place: number }
  | { readonly kind: "time"; readonly byMs: number }
  | { readonly kind: "renumber" }
  | {
      readonly kind: "begin";
      readonly stepCount: number;
      readonly scope: "all" | "access";
      readonly isAbandoned: boolean;
    }
  | { readonly kind: "look" };

/** Few rows leave and enter a page one at a time; many replace it. */
const brought = fc.oneof(
  anyContents,
  anyContents.map((contents) => contents.slice(0, 1)),
);

export const anyStep: fc.Arbitrary<WorldStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("fold" as const),
      place,
      brought,
      deleted: fc.boolean(),
      isFlush: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("alter" as const),
      place,
      change: fc.record(
        {
          status: fc.constantFrom("healthy" as const, "unhealthy" as const),
          reason: fc.constantFrom("", "BackOff", "a"),
          createdAt: fc.constantFrom(0, 1, 500, 999, 1_000),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  fc.record({ kind: fc.constant("compact" as const), place }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("scan" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("see" as const), place, visibility: anyVisibility }) },
  fc.record({ kind: fc.constant("move" as const), place, region: fc.constantFrom("eu", "us", "") }),
  fc.record({ kind: fc.constant("remove" as const), place }),
  // To the moments at which rows reach ages, and rarely back.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("time" as const),
      byMs: fc.constantFrom(1, 1, 249, 250, 499, 500, -1, -501),
    }),
  },
  fc.record({ kind: fc.constant("renumber" as const) }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("begin" as const),
      stepCount: fc.integer({ min: 1, max: 8 }),
      scope: fc.constantFrom("all" as const, "access" as const),
      isAbandoned: fc.boolean(),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("look" as const) }) },
);

const oneRow: fc.Arbitrary<readonly RowContent[]> = fc
  .record({
    name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    status: fc.constantFrom("healthy" as const, "unhealthy" as const),
    createdAt: fc.constantFrom(500, 600, 700),
  })
  .map((fields) => [{ ...plainContent, ...fields }]);

/** Rows come and go one at a time, so that pages become short and are filled again. */
export const anyOneRowStep: fc.Arbitrary<WorldStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("fold" as const),
      place,
      brought: oneRow,
      deleted: fc.constant(false),
      isFlush: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), place, rows: oneRow }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("scan" as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("look" as const) }) },
);

/** Questions with small pages. */
export const anySmallPage: fc.Arbitrary<LiveQuestion> = fc.record({
  filter: fc.constantFrom<Predicate>({ kind: "all" }, { kind: "status", status: "unhealthy" }),
  sort: fc.constantFrom<LiveQuestion["sort"]>(
    [],
    [{ ref: { field: "name", name: "" }, isDescending: true }],
    [{ ref: { field: "created", name: "" }, isDescending: false }],
    [{ ref: { field: "status", name: "" }, isDescending: false }],
  ),
  limit: fc.integer({ min: 1, max: 4 }),
  facets: fc.constantFrom<LiveQuestion["facets"]>([], [{ field: "name", name: "" }]),
});

const limit = fc.integer({ min: 0, max: 6 });

/** Questions that select most rows, so that pages are full and rows move on them. */
const broadQuestion: fc.Arbitrary<LiveQuestion> = fc.record({
  filter: fc.constantFrom<Predicate>(
    { kind: "all" },
    { kind: "age", order: "<=", ms: 500 },
    { kind: "age", order: ">", ms: 1_000 },
  ),
  sort: fc.constantFrom<LiveQuestion["sort"]>(
    [],
    [{ ref: { field: "region", name: "" }, isDescending: true }],
    [{ ref: { field: "name", name: "" }, isDescending: false }],
  ),
  limit,
  facets: fc.constant([]),
});

export const anyLiveQuestion: fc.Arbitrary<LiveQuestion> = fc.oneof(
  broadQuestion,
  fc.tuple(anyQuestion, limit).map(([{ filter, sort, facets }, most]) => {
    return { filter, sort, limit: most, facets: facets.map(({ ref }) => ref) };
  }),
);

/** Sizes that make every path common: one table per slice, few spare rows, little memory, a log that overflows. */
export const anySizes = fc.record({
  sliceRows: fc.constantFrom(1, 1_000_000),
  spareRows: fc.constantFrom(0, 2, 30),
  maxViewBytes: fc.constantFrom(1_000, 8_000, 1_000_000),
  maxLogBytes: fc.constantFrom(0, 12_000, 1_000_000),
});
