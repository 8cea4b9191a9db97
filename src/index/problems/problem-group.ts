// SPDX-License-Identifier: Apache-2.0
import type { PlacedRow } from "../relations/visible-cluster.ts";
import type { ProblemSignature } from "./problem-signature.ts";

/** A cause with what follows from it, in one cluster. */
export interface ProblemGroup {
  readonly id: string;
  readonly signature: ProblemSignature;
  /** The topmost troubled object that explains the others. It is one of them, unless it is a Node. */
  readonly root: PlacedRow;
  readonly members: readonly PlacedRow[];
  /** The member whose reason and message are in the signature; of several equal ones, the one with the least key. */
  readonly signatureRow: PlacedRow;
}
