// SPDX-License-Identifier: Apache-2.0
// The page of one cluster, as parts that are encoded once per change for all viewers.
import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  ClusterUpdateSchema,
  type HistoryEntry,
  HistoryListSchema,
  HopsSchema,
  KindListSchema,
  RateListSchema,
  UnhealthyListSchema,
} from "../../../gen/flotilla/page/v1/page_pb.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import type { Subject } from "../../../model/subject.ts";
import type { FleetParts } from "../../fleet-services/fleet-parts.ts";
import { toRowMessage } from "../../fleet-services/row-service.ts";
import type { ClusterSummary, WorstRow } from "../../rows/fleet-reader.ts";
import type { AppliedKind } from "../../sessions/session-events.ts";
import { type Stamped, stamp } from "../memoized-encoding.ts";
import { maxTroubledRowCount } from "../page-limits.ts";
import { joinFields, toField } from "../wire-fragment.ts";
import type { AgentTracker } from "./agent-tracker.ts";
import { mergeHistory } from "./cluster-history.ts";
import { encodeEntry, type FleetEntry, newestStep } from "./fleet-entry.ts";
import { toHops } from "./hops.ts";
import { toKindsPart } from "./kinds-part.ts";
import { RateMeter } from "./rate-meter.ts";
import { countTrouble } from "./unhealthy-objects.ts";

export interface ClusterPageOptions {
  readonly id: string;
  readonly parts: FleetParts;
  readonly agents: AgentTracker;
  readonly entries: ReadonlyMap<string, FleetEntry>;
}

/** What was read of the cluster's rows. */
interface RowsRead {
  readonly summary: ClusterSummary;
  /** Undefined if no kind's position changed since they were shown, and while rows are not shown (L2). */
  readonly problems: { readonly fingerprint: string; readonly rows: readonly WorstRow[] } | undefined;
}

/** Rates change with every flush; viewers need them no more often than this. */
const ratesIntervalMs = 2_000;

const fields = ClusterUpdateSchema.field;

/** Plain parts are shown to every viewer who may get the cluster; object parts need permission to read rows (L17). */
type PlainPart = "hops" | "history";
type ObjectsPart = "kinds" | "unhealthy" | "rates";
type Part = PlainPart | ObjectsPart;

const plainParts: readonly Part[] = ["hops", "history"];
const allParts: readonly Part[] = ["hops", "kinds", "unhealthy", "history", "rates"];

/** The page of one cluster. Refreshed only while it has viewers. */
export class ClusterPage {
  readonly #options: ClusterPageOptions;
  readonly #parts = new Map<Part, Stamped>();
  readonly #rates: RateMeter;
  #history: readonly HistoryEntry[] = [];
  #isHistoryLoaded = false;
  #kindsFingerprint = "";
  #problemFingerprint: string | undefined;
  #rows: PromiseSettledResult<RowsRead | undefined> | undefined;
  #ratesMs = Number.NEGATIVE_INFINITY;
  #step = -1;
  /** Viewers can resume only from later steps. */
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

  /** Adds a live entry. */
  addHistory(entry: HistoryEntry): void {
    this.#history = mergeHistory([entry], this.#history);
  }

  /** Adds stored and recent entries. */
  addPast(entries: readonly HistoryEntry[]): void {
    this.#history = mergeHistory(this.#history, entries);
    this.#isHistoryLoaded = true;
  }

  addRates(kinds: readonly AppliedKind[], nowMs: number): void {
    this.#rates.add(kinds, nowMs);
  }

  /** Whether rows were ever read. */
  get hasRows(): boolean {
    return this.#rows !== undefined;
  }

  /** Reads the rows for the next refresh, which fails if this fails. Does not reject. */
  async readRows(subject: Subject): Promise<void> {
    [this.#rows] = await Promise.allSettled([this.#loadRows(subject)]);
  }

  /** Reads rows only if the position of some kind has changed. */
  async #loadRows(subject: Subject): Promise<RowsRead | undefined> {
    const { id, parts } = this.#options;
    const { reader } = parts.fleet;
    const summary = await reader.summarize(subject, id);
    if (summary === undefined) return undefined;
    const fingerprint = summary.kinds.map(({ resource, position }) => `${resource} ${position}`).join("\n");
    if (!summary.areRowsShown || fingerprint === this.#problemFingerprint) return { summary, problems: undefined };
    const request = { status: "degraded", limit: maxTroubledRowCount } as const;
    return { summary, problems: { fingerprint, rows: await reader.listWorstRows(subject, id, request) } };
  }

  /** Refreshes every part, once per step. Changed parts get this step. A failed refresh is retried. */
  refresh(step: number): void {
    // A second refresh in one step could change parts that viewers of this step already have.
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
    if (this.#rows?.status === "rejected") throw this.#rows.reason;
    if (this.#rows?.value !== undefined) this.#refreshRows(this.#rows.value, step);
    const nowMs = clock.nowMs();
    if (nowMs - this.#ratesMs < ratesIntervalMs) return;
    this.#ratesMs = nowMs;
    this.#set("rates", RateListSchema, create(RateListSchema, { rates: [...this.#rates.list(nowMs)] }), step);
  }

  /** The encoded update since a step, or all parts without one. Undefined if nothing changed. */
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

  #refreshRows({ summary, problems }: RowsRead, step: number): void {
    const { fingerprint, list } = toKindsPart(this.#options.parts, this.id, summary);
    if (fingerprint !== this.#kindsFingerprint) this.#set("kinds", KindListSchema, list, step);
    this.#kindsFingerprint = fingerprint;
    if (problems === undefined || problems.fingerprint === this.#problemFingerprint) return;
    this.#problemFingerprint = problems.fingerprint;
    const message = create(UnhealthyListSchema, {
      rows: problems.rows.map(({ resource, kind, row, troubledSinceMs }) =>
        toRowMessage(resource, kind, row, troubledSinceMs),
      ),
      totalCount: countTrouble(summary).reduce((sum, { count }) => sum + count, 0),
    });
    this.#set("unhealthy", UnhealthyListSchema, message, step);
  }

  #set<D extends DescMessage>(part: Part, schema: D, message: MessageShape<D>, step: number): void {
    this.#parts.set(part, stamp(this.#parts.get(part), toBinary(schema, message), step));
  }
}
