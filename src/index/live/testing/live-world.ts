// SPDX-License-Identifier: Apache-2.0
// A fleet that changes, with a live result over it and the same asked anew.
import * as fc from "fast-check";
import { type RowContent, toResourceVersion } from "../../../model/rows/row.ts";
import type { Visibility } from "../../../rbac/visibility.ts";
import type { Predicate } from "../../language/query-predicate.ts";
import type { QueriedFleet, QueryAnswer, QueryKey } from "../../query/query-request.ts";
import { runQuery } from "../../query/run-query.ts";
import { anyContents, anyQuestion, testColumns } from "../../query/testing/any-request.ts";
import { type FleetPlace, PlainFleet, type TestHasher, twoClusters } from "../../query/testing/plain-fleet.ts";
import { anyVisibility } from "../../scan/testing/any-visibility.ts";
import { LiveBudget } from "../live-budget.ts";
import { diffPages, type LiveEntry, type LiveState, type PageDifference } from "../live-page.ts";
import type { LiveQuestion, LiveRequest } from "../live-request.ts";
import { LiveResult } from "../live-result.ts";
import { TableSlots } from "../table-slots.ts";
import { ShownPage } from "./shown-page.ts";

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
    }
  | { readonly kind: "delete"; readonly place: number; readonly rows: readonly RowContent[] }
  | { readonly kind: "see"; readonly place: number; readonly visibility: Visibility }
  | { readonly kind: "move"; readonly place: number; readonly region: string }
  | { readonly kind: "remove"; readonly place: number }
  | { readonly kind: "time"; readonly nowMs: number }
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
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("fold" as const), place, brought, deleted: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("see" as const), place, visibility: anyVisibility }) },
  fc.record({ kind: fc.constant("move" as const), place, region: fc.constantFrom("eu", "us", "") }),
  fc.record({ kind: fc.constant("remove" as const), place }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("time" as const),
      nowMs: fc.constantFrom(999, 1_000, 1_001, 1_500, 1_501, 1_999, 2_000, 2_001),
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
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("look" as const) }) },
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
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), place, rows: oneRow }) },
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

/** Sizes that make every path common: one table per slice, few spare rows, little memory. */
export const anySizes = fc.record({
  sliceRows: fc.constantFrom(1, 1_000_000),
  spareRows: fc.constantFrom(0, 2, 30),
  maxViewBytes: fc.constantFrom(1_000, 8_000, 1_000_000),
});

/** A mistake that a live view could make: how it is planted. */
export interface PlantedMistake {
  readonly request?: (request: LiveRequest) => LiveRequest;
  /** What is compared to find tables that changed. */
  readonly compared?: (fleet: QueriedFleet) => QueriedFleet;
  readonly difference?: (difference: PageDifference) => PageDifference;
}

export interface LiveWorldOptions {
  readonly hasher: TestHasher;
  readonly question: LiveQuestion;
  readonly sizes: { readonly sliceRows: number; readonly spareRows: number; readonly maxViewBytes: number };
  readonly mistake?: PlantedMistake;
}

const keyOfEntry = ({ key }: LiveEntry): QueryKey => key;

/** What is compared: the rows of the page in order, the total and the facets. */
interface Compared {
  readonly rows: readonly (readonly [
    cluster: string,
    resource: string,
    namespace: string,
    name: string,
    hash: bigint,
  ])[];
  readonly total: number;
  readonly facets: LiveState["facets"];
}

export class LiveWorld {
  readonly #plain: PlainFleet;
  readonly #question: LiveQuestion;
  readonly #slots = new TableSlots();
  readonly #visible = new Map<string, Visibility>();
  readonly #accessKeys = new Map<string, number>();
  readonly #regions = new Map<string, string>();
  /** Clusters whose grants changed since slots were last updated. */
  readonly #noted = new Set<string>();
  readonly #held = new Map<number, readonly RowContent[]>();
  #accessVersion = 0;
  /** A refresh that is not finished. */
  #refreshing: Generator<void, void, undefined> | undefined;
  readonly #shown = new ShownPage(keyOfEntry);
  readonly #compared: QueriedFleet;
  readonly #mistake: PlantedMistake | undefined;
  #last: LiveState | undefined;
  #nowMs = 1_000;
  readonly result: LiveResult;

  constructor({ hasher, question, sizes, mistake }: LiveWorldOptions) {
    this.#plain = new PlainFleet(hasher, testColumns);
    this.#question = question;
    const { tables } = this.#plain;
    this.#mistake = mistake;
    this.#compared = mistake?.compared?.(tables) ?? tables;
    const request: LiveRequest = {
      ...question,
      visibilityOf: this.#visibilityOf,
      accessKeyOf: (cluster) => this.#accessKeys.get(cluster) ?? 0,
    };
    const budget = new LiveBudget({ maxViewBytes: sizes.maxViewBytes });
    const { sliceRows, spareRows } = sizes;
    this.result = new LiveResult(
      {
        fleet: tables,
        slots: this.#slots,
        budget,
        accessVersion: () => this.#accessVersion,
        sliceRows,
        spareRows,
        wholeAgeMs: 0,
      },
      mistake?.request?.(request) ?? request,
    );
  }

  readonly #visibilityOf = (cluster: string, resource: string): Visibility =>
    this.#visible.get(`${cluster} ${resource}`) ?? { kind: "all" };

  apply(step: WorldStep): void {
    switch (step.kind) {
      case "fold": {
        const deleted = step.deleted ? (this.#held.get(step.place) ?? []) : [];
        this.#held.set(step.place, step.brought);
        this.#plain.fold(this.#placeOf(step.place), step.brought, deleted);
        return;
      }
      case "delete":
        this.#plain.fold(this.#placeOf(step.place), [], step.rows);
        return;
      case "see": {
        const { fields, resource } = this.#placeOf(step.place);
        this.#visible.set(`${fields.cluster} ${resource}`, step.visibility);
        this.#accessKeys.set(fields.cluster, (this.#accessKeys.get(fields.cluster) ?? 0) + 1);
        this.#accessVersion += 1;
        this.#noted.add(fields.cluster);
        return;
      }
      case "move": {
        const { fields } = this.#placeOf(step.place);
        this.#regions.set(fields.cluster, step.region);
        this.#plain.tables.setFields(fields.cluster, { ...fields, region: step.region });
        return;
      }
      case "remove":
        this.#plain.tables.removeCluster(this.#placeOf(step.place).fields.cluster);
        return;
      case "time":
        this.#nowMs = step.nowMs;
        return;
      case "renumber":
        // Only between refreshes.
        if (this.#refreshing === undefined) this.#slots.clear();
        return;
      case "begin":
        this.#begin(step);
        return;
      case "look":
        this.refresh();
    }
  }

  /** Brings the view up to date and sends the difference to the reader. */
  refresh(): void {
    for (const _ of this.#refreshing ?? []);
    this.#refreshing = undefined;
    this.#update();
    for (const _ of this.result.refresh(this.#nowMs));
    const { state } = this.result;
    if (state === undefined) throw new Error("a refresh leaves a state");
    const before = this.#last;
    const difference = diffPages(before?.page ?? [], state.page);
    const { entries, places, left } = this.#mistake?.difference?.(difference) ?? difference;
    this.#shown.apply({ isSnapshot: before === undefined, rows: entries, places, left });
    this.#last = state;
  }

  /** What the reader shows. */
  shown(): Compared {
    const rows = this.#shown.rows.map(({ key, rowHash }) => {
      return [key.cluster, key.resource, key.namespace, key.name, rowHash] as const;
    });
    return { rows, total: this.#last?.total ?? 0, facets: this.#last?.facets ?? [] };
  }

  /** What a query at this moment answers. */
  asked(): Compared {
    const { facets, ...question } = this.#question;
    const request = {
      ...question,
      facets: facets.map((ref) => ({ ref })),
      visibilityOf: this.#visibilityOf,
      nowMs: this.#nowMs,
    };
    const running = runQuery(this.#plain.tables, request);
    let step: IteratorResult<void, QueryAnswer>;
    do step = running.next();
    while (step.done !== true);
    const { rows, total, facets: counted } = step.value;
    return {
      rows: rows.map(
        ({ cluster, resource, row }) => [cluster, resource, row.namespace, row.name, row.rowHash] as const,
      ),
      total,
      facets: counted,
    };
  }

  /** Begins a refresh of which only some steps are run. It is abandoned, or finished before the next look. */
  #begin({ stepCount, scope, isAbandoned }: Extract<WorldStep, { readonly kind: "begin" }>): void {
    if (this.#refreshing !== undefined) return;
    this.#update();
    const refreshing = this.result.refresh(this.#nowMs, scope);
    for (let at = 0; at < stepCount; at += 1) refreshing.next();
    if (!isAbandoned) this.#refreshing = refreshing;
  }

  #update(): void {
    this.#slots.update(this.#compared);
    if (this.#noted.size > 0) this.#slots.noteAccess(this.#noted);
    this.#noted.clear();
  }

  #placeOf(at: number): FleetPlace {
    const { fields, resource } = twoClusters[at] ?? {
      fields: { cluster: "", region: "", environment: "" },
      resource: "",
    };
    return { fields: { ...fields, region: this.#regions.get(fields.cluster) ?? fields.region }, resource };
  }
}
