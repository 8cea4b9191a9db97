// SPDX-License-Identifier: Apache-2.0
// Folds a flush into the rows in memory. A small flush is applied to the rows themselves, in one step. A large flush is
// applied, in steps, to forks of its kinds, which then replace the kinds in one step. Readers see all of a flush or
// nothing, and their waiting time does not depend on its size.
import type { ClusterSize } from "./cluster-limits.ts";
import type { FoldPart, FoldPlace, PreparedFold } from "./fold-types.ts";
import { ChangePacker, PackedChanges } from "./folded-changes.ts";
import type { FoldedKind } from "./folded-kind.ts";

/** The rows of one kind and their position. Folding replaces `rows` with a fork. */
export interface HeldKind {
  rows: FoldedKind;
  receivedAtMs: number;
  position: number;
}

/** The kinds of one cluster, as used by a fold. */
export interface FoldedKinds {
  size(): ClusterSize;
  get(resource: string): HeldKind | undefined;
  /** The kind. Creates it if it does not exist. */
  open(resource: string): HeldKind;
  createRows(): FoldedKind;
}

/** Advances the position and receive time of a kind's rows. */
export function moveTo(held: HeldKind, { position, receivedAtMs }: FoldPlace): void {
  held.receivedAtMs = Math.max(held.receivedAtMs, receivedAtMs);
  held.position = Math.max(held.position, position);
  held.rows.troubles.settle(receivedAtMs);
}

function wouldChange(kinds: FoldedKinds, part: FoldPart): boolean {
  return kinds.get(part.resource)?.rows.wouldChange(part) ?? part.batch.rowCount > 0;
}

function rowCountOf(parts: readonly FoldPart[]): number {
  return parts.reduce((sum, { batch }) => sum + batch.rowCount + batch.deleteCount, 0);
}

class DirectFold<Part extends FoldPart> implements PreparedFold<Part> {
  readonly changing: readonly Part[];
  readonly #kinds: FoldedKinds;

  /** A part that changes nothing by itself is included if an earlier part changes its kind. */
  constructor(kinds: FoldedKinds, parts: readonly Part[]) {
    this.#kinds = kinds;
    const changed = new Set<string>();
    this.changing = parts.filter((part) => {
      if (!changed.has(part.resource) && !wouldChange(kinds, part)) return false;
      changed.add(part.resource);
      return true;
    });
  }

  get commitRowCount(): number {
    return rowCountOf(this.changing);
  }

  /** An upper bound: counts every row as new and none as removed. */
  get sizeAfter(): ClusterSize {
    let { rowCount, kindCount, bytes } = this.#kinds.size();
    const added = new Set<string>();
    for (const { resource, batch } of this.changing) {
      rowCount += batch.rowCount;
      bytes += batch.parts.heldBytes;
      if (this.#kinds.get(resource) === undefined) added.add(resource);
    }
    kindCount += added.size;
    return { rowCount, kindCount, bytes };
  }

  steps(): Iterable<void> {
    return [];
  }

  commit(place: FoldPlace): PackedChanges {
    const packers = this.changing.map((part) => {
      const held = this.#kinds.open(part.resource);
      const packer = new ChangePacker(part.resource);
      held.rows.apply(part, (kind, key) => packer.add(kind, key));
      moveTo(held, place);
      return packer;
    });
    return new PackedChanges(packers.map((packer) => packer.close()));
  }
}

class ForkedFold<Part extends FoldPart> implements PreparedFold<Part> {
  readonly changing: Part[] = [];
  readonly commitRowCount = 0;
  readonly #kinds: FoldedKinds;
  readonly #parts: readonly Part[];
  readonly #forks = new Map<string, FoldedKind>();
  readonly #packers: ChangePacker[] = [];

  constructor(kinds: FoldedKinds, parts: readonly Part[]) {
    this.#kinds = kinds;
    this.#parts = parts;
  }

  *steps(): Generator<void, void, undefined> {
    yield; // the turn that is on was the decoder's
    for (const part of this.#parts) {
      const { resource } = part;
      const fork = this.#forks.get(resource) ?? (yield* this.#fork(part));
      this.#forks.set(resource, fork);
      const packer = new ChangePacker(resource);
      yield* fork.applyInSteps(part, (kind, key) => packer.add(kind, key));
      if (packer.length === 0) continue;
      this.changing.push(part);
      this.#packers.push(packer);
    }
  }

  get sizeAfter(): ClusterSize {
    let { rowCount, kindCount, bytes } = this.#kinds.size();
    for (const resource of new Set(this.changing.map((part) => part.resource))) {
      const before = this.#kinds.get(resource)?.rows;
      const after = this.#forks.get(resource);
      rowCount += (after?.rowCount ?? 0) - (before?.rowCount ?? 0);
      bytes += (after?.sizeBytes ?? 0) - (before?.sizeBytes ?? 0);
      if (before === undefined) kindCount += 1;
    }
    return { rowCount, kindCount, bytes };
  }

  commit(place: FoldPlace): PackedChanges {
    for (const { resource } of this.changing) {
      const held = this.#kinds.open(resource);
      held.rows = this.#forks.get(resource) ?? held.rows;
      moveTo(held, place);
    }
    return new PackedChanges(this.#packers.map((packer) => packer.close()));
  }

  *#fork({ resource, batch }: Part): Generator<void, FoldedKind, undefined> {
    const held = this.#kinds.get(resource);
    return held === undefined ? this.#kinds.createRows() : yield* held.rows.forkInSteps(batch.rowCount);
  }
}

/**
 * Prepares a fold. A flush of at most `directRowCount` rows, deletes and replaced buckets is applied directly, because
 * a fork would cost more.
 */
export function prepareFold<Part extends FoldPart>(
  kinds: FoldedKinds,
  parts: readonly Part[],
  directRowCount: number,
): PreparedFold<Part> {
  const rowCount = rowCountOf(parts);
  const bucketCount = parts.filter(({ form }) => form.kind === "replace").length;
  return rowCount + bucketCount > directRowCount ? new ForkedFold(kinds, parts) : new DirectFold(kinds, parts);
}
