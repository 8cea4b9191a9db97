// SPDX-License-Identifier: Apache-2.0
// The parts of a cluster's page that show objects, for viewers who see the same objects.
import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { KindListSchema, RateListSchema, UnhealthyListSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import type { Subject } from "../../../model/subject.ts";
import type { FleetParts } from "../../fleet-services/fleet-parts.ts";
import { toRowMessage } from "../../fleet-services/row-service.ts";
import type { ClusterSummary, WorstRow } from "../../rows/fleet-reader.ts";
import { type Stamped, stamp } from "../memoized-encoding.ts";
import { maxTroubledRowCount } from "../page-limits.ts";
import { isSummaryFor } from "./is-summary-for.ts";
import { toKindsPart } from "./kinds-part.ts";
import type { RateMeter } from "./rate-meter.ts";
import { countTrouble } from "./unhealthy-objects.ts";

/** The parts that need permission to read rows (L17). */
export type ObjectsPart = "kinds" | "unhealthy" | "rates";

/** What was read of the cluster's rows. */
interface RowsRead {
  readonly summary: ClusterSummary;
  /** Undefined if no kind's position changed since they were shown, and while rows are not shown (L2). */
  readonly problems: { readonly fingerprint: string; readonly rows: readonly WorstRow[] } | undefined;
}

/** Rates change with every flush; viewers need them no more often than this. */
const ratesIntervalMs = 2_000;

/** The encoded parts of one access key. */
export class PageObjects {
  readonly parts = new Map<ObjectsPart, Stamped>();
  readonly #id: string;
  readonly #accessKey: string;
  readonly #fleetParts: FleetParts;
  #kindsFingerprint = "";
  #problemFingerprint: string | undefined;
  #rows: PromiseSettledResult<RowsRead | undefined> | undefined;
  #ratesMs = Number.NEGATIVE_INFINITY;

  constructor(id: string, accessKey: string, fleetParts: FleetParts) {
    this.#id = id;
    this.#accessKey = accessKey;
    this.#fleetParts = fleetParts;
  }

  /** Reads the rows for the next refresh, which fails if this fails. Does not reject. */
  async readRows(subject: Subject): Promise<void> {
    [this.#rows] = await Promise.allSettled([this.#loadRows(subject)]);
  }

  /** Changed parts get this step. Throws the failure of the last read. */
  refresh(rates: RateMeter, step: number): void {
    if (this.#rows?.status === "rejected") throw this.#rows.reason;
    const read = this.#rows?.value;
    if (read === undefined) return;
    this.#refreshRows(read, step);
    const nowMs = this.#fleetParts.clock.nowMs();
    if (nowMs - this.#ratesMs < ratesIntervalMs) return;
    this.#ratesMs = nowMs;
    // The rate of a kind of which the viewer sees a part would tell of the rest.
    const whole = new Set(read.summary.kinds.flatMap(({ resource, isWhole }) => (isWhole ? [resource] : [])));
    const shown = [...rates.list(nowMs)].filter(({ resource }) => whole.has(resource));
    this.#set("rates", RateListSchema, create(RateListSchema, { rates: shown }), step);
  }

  /** Reads rows only if the position of some kind has changed. Undefined if the subject has another key meanwhile. */
  async #loadRows(subject: Subject): Promise<RowsRead | undefined> {
    const { reader } = this.#fleetParts.fleet;
    const summary = await reader.summarize(subject, this.#id);
    if (!isSummaryFor(this.#accessKey, summary)) return undefined;
    const fingerprint = summary.kinds.map(({ resource, position }) => `${resource} ${position}`).join("\n");
    if (!summary.areRowsShown || fingerprint === this.#problemFingerprint) return { summary, problems: undefined };
    const request = { status: "degraded", limit: maxTroubledRowCount, accessKey: this.#accessKey } as const;
    const rows = await reader.listWorstRows(subject, this.#id, request);
    return rows === undefined ? undefined : { summary, problems: { fingerprint, rows } };
  }

  #refreshRows({ summary, problems }: RowsRead, step: number): void {
    const { fingerprint, list } = toKindsPart(this.#fleetParts, this.#id, summary);
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

  #set<D extends DescMessage>(part: ObjectsPart, schema: D, message: MessageShape<D>, step: number): void {
    this.parts.set(part, stamp(this.parts.get(part), toBinary(schema, message), step));
  }
}
