// SPDX-License-Identifier: Apache-2.0
// One cluster as its page shows it: parts that are each encoded when they changed, whoever looks.
import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  ClusterUpdateSchema,
  type HistoryEntry,
  HistoryListSchema,
  HopsSchema,
  KindListSchema,
  RateListSchema,
  UnhealthyListSchema,
} from "../../gen/flotilla/page/v1/page_pb.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { AppliedKind } from "../fleet/fleet-observer.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import { toRowMessage } from "../fleet-services/row-service.ts";
import type { AgentBook } from "./agent-book.ts";
import { mergeHistory } from "./cluster-history.ts";
import { encodeEntry, type FleetEntry, newestStep } from "./fleet-entry.ts";
import { toHops } from "./hops.ts";
import { toKindsPart } from "./kinds-part.ts";
import { RateMeter } from "./rate-meter.ts";
import { type Stamped, stamp } from "./stamped.ts";
import { countTrouble, listTrouble } from "./trouble.ts";
import { joinFields, toField } from "./wire-fragment.ts";

export interface ClusterPageOptions {
  readonly id: string;
  readonly parts: FleetParts;
  readonly agents: AgentBook;
  readonly entries: ReadonlyMap<string, FleetEntry>;
}

/** Rates move at every flush; more often than this nobody reads them. */
const ratesIntervalMs = 2_000;

const fields = ClusterUpdateSchema.field;

/** What of a page is for everybody who may get the cluster; the rest is what its objects tell (L17). */
type PlainPart = "hops" | "history";
type ObjectsPart = "kinds" | "unhealthy" | "rates";
type Part = PlainPart | ObjectsPart;

const plainParts: readonly Part[] = ["hops", "history"];
const allParts: readonly Part[] = ["hops", "kinds", "unhealthy", "history", "rates"];

/** The page of one cluster. It is brought up to date only while somebody looks. */
export class ClusterPage {
  readonly #options: ClusterPageOptions;
  readonly #parts = new Map<Part, Stamped>();
  readonly #rates: RateMeter;
  #history: readonly HistoryEntry[] = [];
  #isHistoryLoaded = false;
  #kindsLikeness = "";
  #troubleLikeness: string | undefined;
  #ratesMs = Number.NEGATIVE_INFINITY;
  #step = -1;
  /** Steps before this one cannot be gone on from. */
  readonly sinceStep: number;
  viewerCount = 0;

  constructor(options: ClusterPageOptions, sinceStep: number) {
    this.#options = options;
    this.sinceStep = sinceStep;
    this.#rates = new RateMeter(options.parts.clock.nowMs());
  }

  get id(): string {
    return this.#options.id;
  }

  /** Something happened. */
  addHistory(entry: HistoryEntry): void {
    this.#history = mergeHistory([entry], this.#history);
  }

  /** What was stored, and what was on its way there. */
  addPast(entries: readonly HistoryEntry[]): void {
    this.#history = mergeHistory(this.#history, entries);
    this.#isHistoryLoaded = true;
  }

  addRates(kinds: readonly AppliedKind[], nowMs: number): void {
    this.#rates.add(kinds, nowMs);
  }

  /** Brings every part up to now, once in a step; what changed has this step. One that failed is tried again. */
  refresh(step: number): void {
    // Who saw this step has seen all that has it.
    if (step === this.#step) return;
    this.#refreshParts(step);
    this.#step = step;
  }

  #refreshParts(step: number): void {
    const { id, parts, agents } = this.#options;
    const { fleet, health, clock } = parts;
    const record = fleet.clusters.get(id);
    const view = record === undefined ? undefined : health.get(parseClusterId(id));
    if (record === undefined || view === undefined) return;
    this.#set("hops", HopsSchema, toHops({ record, view, agent: agents.get(id) }), step);
    if (this.#isHistoryLoaded)
      this.#set("history", HistoryListSchema, create(HistoryListSchema, { entries: [...this.#history] }), step);
    const { likeness, list } = toKindsPart(parts, id);
    if (likeness !== this.#kindsLikeness) this.#set("kinds", KindListSchema, list, step);
    this.#kindsLikeness = likeness;
    if (fleet.picture.isRbacComplete(id)) this.#refreshTrouble(step);
    const nowMs = clock.nowMs();
    if (nowMs - this.#ratesMs < ratesIntervalMs) return;
    this.#ratesMs = nowMs;
    this.#set("rates", RateListSchema, create(RateListSchema, { rates: [...this.#rates.list(nowMs)] }), step);
  }

  /** The encoded update from a step to now; all parts without one. Undefined for nothing. */
  encode(fromStep: number | undefined, seesObjects: boolean): Uint8Array | undefined {
    const changed: Uint8Array[] = [];
    const isChanged = (step: number): boolean => fromStep === undefined || step > fromStep;
    const entry = this.#options.entries.get(this.id);
    if (entry !== undefined && isChanged(newestStep(entry, seesObjects)))
      changed.push(toField(fields.cluster.number, encodeEntry(entry, undefined, seesObjects)));
    for (const part of seesObjects ? allParts : plainParts) {
      const stamped = this.#parts.get(part);
      if (stamped !== undefined && isChanged(stamped.step)) changed.push(toField(fields[part].number, stamped.bytes));
    }
    return changed.length === 0 ? undefined : joinFields(changed);
  }

  /** Rows are looked at only where a kind stands at another place than when they were. */
  #refreshTrouble(step: number): void {
    const { id, parts } = this.#options;
    const { picture } = parts.fleet;
    const places = picture.kinds(id).map(({ resource, position }) => `${resource} ${position}`);
    const likeness = places.join("\n");
    if (likeness === this.#troubleLikeness) return;
    this.#troubleLikeness = likeness;
    const counts = countTrouble(picture, id);
    const message = create(UnhealthyListSchema, {
      rows: listTrouble(picture, id, counts).map(({ resource, kind, row }) =>
        toRowMessage(resource, kind, row, picture.troubledSinceMs(id, resource, row)),
      ),
      totalCount: counts.reduce((sum, { count }) => sum + count, 0),
    });
    this.#set("unhealthy", UnhealthyListSchema, message, step);
  }

  #set<D extends DescMessage>(part: Part, schema: D, message: MessageShape<D>, step: number): void {
    this.#parts.set(part, stamp(this.#parts.get(part), toBinary(schema, message), step));
  }
}
