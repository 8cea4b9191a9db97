// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import { KindState, type KindStatusSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { RowTable } from "../../session/agent/row-table.ts";
import type { KindReports, KindStatusReport } from "./uplink-options.ts";

type KindStatusInit = MessageInitShape<typeof KindStatusSchema>;

/** Durations are whole and never negative, even if the clock readings are out of order. */
function agoMs(atMs: number, nowMs: number): bigint {
  return BigInt(Math.max(0, Math.round(nowMs - atMs)));
}

/** The kind statuses that one session has sent, so that later messages contain only changes. */
export class KindStatusLog {
  readonly #reports: KindReports;
  readonly #rows: RowTable;
  readonly #reported = new Map<string, string>();

  constructor(reports: KindReports, rows: RowTable) {
    this.#reports = reports;
    this.#rows = rows;
  }

  /**
   * The statuses to send now: all, or those that changed. A kind that is not in the table has not been named (SE56).
   */
  take(all: boolean, nowMs: number): readonly KindStatusInit[] {
    return this.#reports.list().flatMap((report) => {
      const rows = this.#rows.getKind(report.resource);
      if (rows === undefined) return [];
      const { isComplete } = rows;
      // A watched kind is as fresh as the session, so a newer `currentAtMs` is no change.
      const isFresh = report.state === KindState.WATCHING && report.currentAtMs !== undefined;
      const text = JSON.stringify([isFresh ? { ...report, currentAtMs: 0 } : report, isComplete]);
      if (!all && this.#reported.get(report.resource) === text) return [];
      this.#reported.set(report.resource, text);
      return [toStatus(report, isComplete, nowMs)];
    });
  }
}

function toStatus(report: KindStatusReport, isComplete: boolean, nowMs: number): KindStatusInit {
  const { resource, state, version, fault, verb, error, refusedCount, refusedError } = report;
  return {
    resource,
    state,
    version,
    fault,
    verb,
    error,
    refusedCount,
    refusedError,
    isComplete,
    sinceMsAgo: agoMs(report.sinceMs, nowMs),
    ...(report.currentAtMs === undefined ? {} : { currentMsAgo: agoMs(report.currentAtMs, nowMs) }),
    ...(report.listedAtMs === undefined ? {} : { listedMsAgo: agoMs(report.listedAtMs, nowMs) }),
    leftOutCount: BigInt(report.leftOutCount),
    overrunMs: BigInt(Math.round(report.overrunMs)),
  };
}
