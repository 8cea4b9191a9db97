// SPDX-License-Identifier: Apache-2.0
// The page of one cluster, as parts that are encoded once per change for all viewers.
import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import {
  ClusterUpdateSchema,
  type HistoryEntry,
  HistoryListSchema,
  HopsSchema,
} from "../../../gen/flotilla/page/v1/page_pb.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import type { Subject } from "../../../model/subject.ts";
import type { FleetParts } from "../../fleet-services/fleet-parts.ts";
import type { AppliedKind } from "../../sessions/session-events.ts";
import { type Stamped, stamp } from "../memoized-encoding.ts";
import { joinFields, toField } from "../wire-fragment.ts";
import type { AgentTracker } from "./agent-tracker.ts";
import { mergeHistory } from "./cluster-history.ts";
import { encodeEntry, type FleetEntry, newestStep } from "./fleet-entry.ts";
import { toHops } from "./hops.ts";
import { type ObjectsPart, PageObjects } from "./page-objects.ts";
import { RateMeter } from "./rate-meter.ts";

export interface ClusterPageOptions {
  readonly id: string;
  readonly parts: FleetParts;
  readonly agents: AgentTracker;
  readonly entries: ReadonlyMap<string, FleetEntry>;
}

const fields = ClusterUpdateSchema.field;

/** Shown to every viewer who may get the cluster. */
type PlainPart = "hops" | "history";

/** The order of parts in an update. */
const partOrder = ["hops", "kinds", "unhealthy", "history", "rates"] as const satisfies readonly (
  | PlainPart
  | ObjectsPart
)[];

/** The page of one cluster. Refreshed only while it has viewers. */
export class ClusterPage {
  readonly #options: ClusterPageOptions;
  readonly #parts = new Map<PlainPart, Stamped>();
  /** By access key. */
  readonly #objects = new Map<string, PageObjects>();
  readonly #rates: RateMeter;
  #history: readonly HistoryEntry[] = [];
  #isHistoryLoaded = false;
  #step = -1;
  /** The step of its creation. Viewers can resume from it and from later steps. */
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

  /** Whether rows were ever read for viewers with this access key. */
  hasRows(accessKey: string): boolean {
    return this.#objects.has(accessKey);
  }

  /** Reads the rows of each access key for the next refresh, which fails if this fails. Does not reject. */
  async readRows(readers: ReadonlyMap<string, Subject> = new Map()): Promise<void> {
    const { id, parts } = this.#options;
    for (const key of this.#objects.keys()) if (!readers.has(key)) this.#objects.delete(key);
    await Promise.all(
      Array.from(readers, async ([key, subject]) => {
        const objects = this.#objects.get(key) ?? new PageObjects(id, key, parts);
        await objects.readRows(subject);
        this.#objects.set(key, objects);
      }),
    );
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
    const { fleet, health } = parts;
    const record = fleet.clusters.get(id);
    const view = record === undefined ? undefined : health.get(parseClusterId(id));
    if (record === undefined || view === undefined) return;
    this.#set("hops", HopsSchema, toHops({ record, view, agent: agents.get(id) }), step);
    if (this.#isHistoryLoaded)
      this.#set("history", HistoryListSchema, create(HistoryListSchema, { entries: [...this.#history] }), step);
    for (const objects of this.#objects.values()) objects.refresh(this.#rates, step);
  }

  /** The encoded update since a step, or all parts without one. Undefined if nothing changed. */
  encode(fromStep: number | undefined, accessKey: string | undefined): Uint8Array | undefined {
    const changed: Uint8Array[] = [];
    const isChanged = (step: number): boolean => fromStep === undefined || step > fromStep;
    const entry = this.#options.entries.get(this.id);
    if (entry !== undefined && isChanged(newestStep(entry, accessKey)))
      changed.push(toField(fields.cluster.number, encodeEntry(entry, undefined, accessKey)));
    const objects = accessKey === undefined ? undefined : this.#objects.get(accessKey)?.parts;
    for (const part of partOrder) {
      const stamped = part === "hops" || part === "history" ? this.#parts.get(part) : objects?.get(part);
      if (stamped !== undefined && isChanged(stamped.step)) changed.push(toField(fields[part].number, stamped.bytes));
    }
    return changed.length === 0 ? undefined : joinFields(changed);
  }

  #set<D extends DescMessage>(part: PlainPart, schema: D, message: MessageShape<D>, step: number): void {
    this.#parts.set(part, stamp(this.#parts.get(part), toBinary(schema, message), step));
  }
}
