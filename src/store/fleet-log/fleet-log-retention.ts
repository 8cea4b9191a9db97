// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** The limit on segments or pieces removed in one transaction: of some 10 KB each, a few milliseconds. */
const removeCount = 500;

/** Removes history in bounded steps. The caller owns the transaction around each call. */
export class FleetLogRetention {
  readonly #db: DatabaseSync;
  readonly #bases: StatementSync;
  readonly #horizon: StatementSync;
  readonly #deleteSegments: StatementSync;
  readonly #supersede: StatementSync;
  readonly #deletePieces: StatementSync;
  readonly #deleteCheckpoints: StatementSync;
  readonly #raiseFollowHorizon: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    // The checkpoint of each (cluster, resource) from which the retained time starts.
    this.#bases = db.prepare(
      `SELECT id, cluster, resource, position, received_at_ms FROM (
         SELECT *, row_number() OVER (PARTITION BY cluster, resource ORDER BY position DESC, id DESC) AS place
         FROM checkpoints WHERE completed = 1 AND received_at_ms <= ?) WHERE place = 1`,
    );
    this.#horizon = db.prepare(
      `INSERT INTO horizons (cluster, resource, earliest_ms) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET earliest_ms = excluded.earliest_ms WHERE earliest_ms <> excluded.earliest_ms`,
    );
    this.#deleteSegments = db.prepare(
      `DELETE FROM segments WHERE position IN (
         SELECT position FROM segments WHERE cluster = ? AND resource = ? AND position <= ? ORDER BY position LIMIT ?)`,
    );
    // -1 marks a checkpoint that no longer counts. Its pieces are removed later in bounded steps.
    this.#supersede = db.prepare(
      "UPDATE checkpoints SET completed = -1 WHERE cluster = ? AND resource = ? AND completed = 1 AND position <= ? AND id <> ?",
    );
    this.#deletePieces = db.prepare(
      `DELETE FROM checkpoint_pieces WHERE rowid IN (
         SELECT p.rowid FROM checkpoint_pieces p JOIN checkpoints c ON c.id = p.checkpoint_id WHERE c.completed = -1 LIMIT ?)`,
    );
    this.#deleteCheckpoints = db.prepare(
      "DELETE FROM checkpoints WHERE completed = -1 AND NOT EXISTS (SELECT 1 FROM checkpoint_pieces WHERE checkpoint_id = checkpoints.id)",
    );
    this.#raiseFollowHorizon = db.prepare("UPDATE follow_horizon SET position = max(position, ?)");
  }

  retain(beforeMs: number): { readonly removed: number; readonly more: boolean } {
    let removed = 0;
    for (const base of this.#bases.all(beforeMs)) {
      const cluster = String(base["cluster"]);
      const resource = String(base["resource"]);
      const position = Number(base["position"]);
      this.#horizon.run(cluster, resource, Number(base["received_at_ms"]));
      this.#supersede.run(cluster, resource, position, Number(base["id"]));
      const segmentCount = Number(this.#deleteSegments.run(cluster, resource, position, removeCount - removed).changes);
      if (segmentCount > 0) this.#raiseFollowHorizon.run(position);
      removed += segmentCount;
      if (removed >= removeCount) break;
    }
    removed += this.#sweep(removeCount - removed);
    return { removed, more: removed >= removeCount };
  }

  removeCluster(cluster: string): { readonly more: boolean } {
    this.#db.prepare("UPDATE progress SET incarnation = '', seq = 0 WHERE cluster = ?").run(cluster);
    this.#db.prepare("DELETE FROM horizons WHERE cluster = ?").run(cluster);
    this.#db.prepare("UPDATE checkpoints SET completed = -1 WHERE cluster = ?").run(cluster);
    const segments = this.#db.prepare(
      "DELETE FROM segments WHERE position IN (SELECT position FROM segments WHERE cluster = ? LIMIT ?)",
    );
    const removed = Number(segments.run(cluster, removeCount).changes) + this.#sweep(removeCount);
    return { more: removed > 0 };
  }

  /** Removes checkpoints that a crash left incomplete (FL7). */
  removeUnfinished(): void {
    this.#db.exec("UPDATE checkpoints SET completed = -1 WHERE completed = 0");
    this.#sweep(removeCount);
  }

  #sweep(limit: number): number {
    const removed = limit <= 0 ? 0 : Number(this.#deletePieces.run(limit).changes);
    return removed + Number(this.#deleteCheckpoints.run().changes);
  }
}
