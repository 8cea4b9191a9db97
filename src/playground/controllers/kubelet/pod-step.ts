// SPDX-License-Identifier: Apache-2.0
import type { DraftObject } from "../../../apiserver/json/json.ts";

/** A kubelet event about a Pod or one of its containers. */
export interface PodNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
}

/** What to write now, if anything, which events to record, and when to reconcile again. */
export interface PodStep {
  readonly change?: (draft: DraftObject) => void;
  readonly notes?: readonly PodNote[];
  readonly waitMs?: number;
}
