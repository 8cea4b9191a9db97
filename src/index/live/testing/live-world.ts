// SPDX-License-Identifier: Apache-2.0
// A fleet that changes, with a live result over it and the same asked anew.
import type { RowContent } from "../../../model/rows/row.ts";
import type { Visibility } from "../../../rbac/visibility.ts";
import type { TableDelta } from "../../fold/table-delta.ts";
import type { QueriedFleet, QueryAnswer, QueryKey } from "../../query/query-request.ts";
import { runQuery } from "../../query/run-query.ts";
import { testColumns } from "../../query/testing/any-request.ts";
import { type FleetPlace, PlainFleet, type TestHasher, twoClusters } from "../../query/testing/plain-fleet.ts";
import { LiveBudget } from "../live-budget.ts";
import { diffPages, type LiveEntry, type LiveState, type PageDifference } from "../live-page.ts";
import type { LiveQuestion, LiveRequest } from "../live-request.ts";
import { LiveResult } from "../live-result.ts";
import { TableSlots } from "../table-slots.ts";
import { ShownPage } from "./shown-page.ts";
import type { WorldStep } from "./world-steps.ts";

/** A mistake that a live view could make: how it is planted. */
export interface PlantedMistake {
  readonly request?: (request: LiveRequest) => LiveRequest;
  /** What is compared to find tables that changed. */
  readonly compared?: (fleet: QueriedFleet) => QueriedFleet;
  readonly difference?: (difference: PageDifference) => PageDifference;
  readonly delta?: (delta: TableDelta) => TableDelta;
}

export interface LiveWorldOptions {
  readonly hasher: TestHasher;
  readonly question: LiveQuestion;
  readonly sizes: {
    readonly sliceRows: number;
    readonly spareRows: number;
    readonly maxViewBytes: number;
    readonly maxLogBytes: number;
  };
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
    troubledSinceMs: number | undefined,
  ])[];
  readonly total: number;
  readonly facets: LiveState["facets"];
}

export class LiveWorld {
  readonly #plain: PlainFleet;
  readonly #question: LiveQuestion;
  readonly #slots: TableSlots;
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
    const { sliceRows, spareRows, maxLogBytes } = sizes;
    const slots = new TableSlots(maxLogBytes);
    this.#slots = slots;
    tables.reportDeltas({
      wantsDeltas: true,
      noteDelta: (delta) => slots.noteDelta(mistake?.delta?.(delta) ?? delta),
    });
    const fleet = {
      fleet: tables,
      slots,
      budget,
      accessVersion: () => this.#accessVersion,
      sliceRows,
      spareRows,
      wholeAgeMs: 0,
    };
    this.result = new LiveResult(fleet, mistake?.request?.(request) ?? request);
  }

  readonly #visibilityOf = (cluster: string, resource: string): Visibility =>
    this.#visible.get(`${cluster} ${resource}`) ?? { kind: "all" };

  apply(step: WorldStep): void {
    switch (step.kind) {
      case "fold": {
        const deleted = step.deleted ? (this.#held.get(step.place) ?? []) : [];
        this.#held.set(step.place, step.brought);
        if (step.isFlush) this.#plain.flush(this.#placeOf(step.place), step.brought, deleted, this.#nowMs);
        else this.#plain.fold(this.#placeOf(step.place), step.brought, deleted);
        return;
      }
      case "delete":
        this.#plain.flush(this.#placeOf(step.place), [], step.rows, this.#nowMs);
        return;
      case "alter": {
        const altered = (this.#held.get(step.place) ?? []).map((row) => ({ ...row, ...step.change }));
        this.#plain.flush(this.#placeOf(step.place), altered, [], this.#nowMs);
        return;
      }
      case "compact": {
        const compaction = this.#plain.tables.prepareCompaction(this.#placeOf(step.place).fields.cluster);
        for (const _ of compaction?.steps() ?? []);
        compaction?.commit();
        return;
      }
      case "scan":
        this.#update();
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
        this.#nowMs = Math.max(0, this.#nowMs + step.byMs);
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
    const rows = this.#shown.rows.map(({ key, rowHash, troubledSinceMs }) => {
      return [key.cluster, key.resource, key.namespace, key.name, rowHash, troubledSinceMs] as const;
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
      rows: rows.map(({ cluster, resource, row }) => {
        const troubledSinceMs = this.#plain.tables.troubledSinceMs(cluster, resource, row);
        return [cluster, resource, row.namespace, row.name, row.rowHash, troubledSinceMs] as const;
      }),
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
