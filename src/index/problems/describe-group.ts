// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import { compareUtf8 } from "../../model/text.ts";
import { comparePlaces, type PlacedRow } from "../relations/visible-cluster.ts";
import type { ProblemGroup } from "./problem-group.ts";
import { type ProblemSignature, problemId } from "./problem-signature.ts";
import { type RowCause, RowCauses } from "./row-causes.ts";
import { templateName } from "./template-name.ts";

/** A troubled object of a group. */
export interface GroupMember {
  readonly placed: PlacedRow;
  /** Owner edges between the root and this object. */
  readonly depth: number;
}

/** A root with its objects, of which the first is not necessarily the root. */
export interface RootedMembers {
  readonly root: PlacedRow;
  /** From the root to the topmost visible owner. */
  readonly chain: readonly PlacedRow[];
  readonly members: readonly GroupMember[];
}

/** Finds what the groups of one cluster have in common with others: their signatures. */
export class GroupDescriber {
  readonly #hasher: Hasher;
  readonly #causes = new RowCauses();

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  /**
   * The signature is that of the objects farthest below the root, of those the ones with the worst status, and of those
   * the most frequent one. What lies below has the cause: Pods that cannot pull an image, not "0 of 3 replicas are
   * available" of their Deployment.
   */
  describe({ root, chain, members }: RootedMembers): ProblemGroup {
    const deepest = members.reduce((depth, member) => Math.max(depth, member.depth), 0);
    const template = templateName(chain, deepest > 0);
    const bySignature = new Map<string, { readonly signature: ProblemSignature; count: number; least: PlacedRow }>();
    for (const [cause, { count, least }] of this.#countCauses(members, deepest)) {
      const signature = { ...cause, template: cause.image === "" ? template : "" };
      const id = problemId(signature, this.#hasher);
      const known = bySignature.get(id);
      if (known === undefined) bySignature.set(id, { signature, count, least });
      else {
        known.count += count;
        if (comparePlaces(least, known.least) < 0) known.least = least;
      }
    }
    const [first] = [...bySignature].sort(([aId, a], [bId, b]) => b.count - a.count || compareUtf8(aId, bId));
    assert(first !== undefined, "a problem without an object");
    const [id, { signature, least }] = first;
    return { id, signature, root, members: members.map(({ placed }) => placed), signatureRow: least };
  }

  /** The causes of the objects that are farthest below the root and have the worst status there. */
  #countCauses(
    members: readonly GroupMember[],
    deepest: number,
  ): ReadonlyMap<RowCause, { readonly count: number; readonly least: PlacedRow }> {
    const low = members.filter(({ depth }) => depth === deepest);
    const worst = low.reduce((rank, { placed }) => Math.min(rank, placed.table.statusRankOf(placed.row)), 255);
    const counts = new Map<RowCause, { count: number; least: PlacedRow }>();
    for (const { placed } of low) {
      if (placed.table.statusRankOf(placed.row) !== worst) continue;
      const cause = this.#causes.of(placed);
      const known = counts.get(cause);
      if (known === undefined) counts.set(cause, { count: 1, least: placed });
      else {
        known.count += 1;
        if (comparePlaces(placed, known.least) < 0) known.least = placed;
      }
    }
    return counts;
  }
}
