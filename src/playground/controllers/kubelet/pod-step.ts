// SPDX-License-Identifier: Apache-2.0
import type { DraftObject } from "../../../apiserver/json/json.ts";

/** What a kubelet says of a Pod, or of one of its containers. */
export interface PodNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
}

/** What to write now, if anything, what to say of it, and when to look again. */
export interface PodStep {
  readonly change?: (draft: DraftObject) => void;
  readonly notes?: readonly PodNote[];
  readonly waitMs?: number;
}
