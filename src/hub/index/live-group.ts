// SPDX-License-Identifier: Apache-2.0
import type { LiveQuestion } from "../../index/live/live-request.ts";
import type { LiveResult } from "../../index/live/live-result.ts";
import type { QueryViewer } from "./query-runs.ts";

/** What a live view shows, and to whom. */
export interface GroupedView {
  readonly question: LiveQuestion;
  /** Equal for equal questions only. */
  readonly questionKey: string;
  /** Another object after the hub shows the user other clusters. */
  readonly by: QueryViewer;
}

/** Live views of the same question and the same grants. They share one result. */
export class LiveGroup<View extends GroupedView> {
  readonly questionKey: string;
  /** All members see what this viewer sees. It need not be one of them any more. */
  readonly by: QueryViewer;
  readonly result: LiveResult;
  readonly views = new Set<View>();
  /** What a refresh is expected to take of the thread's time. */
  costMs = 0;
  /** The next refresh begins no earlier. */
  dueAtMs = 0;
  /** What giving members their updates took since the last refresh. */
  deliveryMs = 0;
  /** The version of the slots at which all members were last seen to have the same grants. */
  checkedAccess: number;

  constructor({ questionKey, by }: GroupedView, result: LiveResult, checkedAccess: number) {
    this.questionKey = questionKey;
    this.by = by;
    this.result = result;
    this.checkedAccess = checkedAccess;
  }
}
