// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { LogPlace, PlacesRequest } from "./fleet-log.ts";

type Found = Record<string, SQLOutputValue>;

/** A position of one resource and its receive time. */
type TimedPosition = Pick<LogPlace, "position" | "receivedAtMs">;

/**
 * Finds positions by time (FL18). Receive times of a cluster never decrease (FL8), so the positions of one resource are
 * searched by halving: some 20 rows are read, however long the history is.
 */
export class FleetLogPlaces {
  readonly #resources: StatementSync;
  readonly #horizon: StatementSync;
  readonly #checkpoint: StatementSync;
  readonly #newest: StatementSync;
  readonly #next: StatementSync;

  constructor(db: DatabaseSync) {
    // One look into the index for each resource, not for each segment.
    this.#resources = db.prepare(
      `WITH RECURSIVE logged (resource) AS (
         SELECT min(resource) FROM segments WHERE cluster = ?1
         UNION ALL SELECT (SELECT min(resource) FROM segments WHERE cluster = ?1 AND resource > logged.resource)
         FROM logged WHERE logged.resource IS NOT NULL)
       SELECT resource FROM logged WHERE resource IS NOT NULL
       UNION SELECT resource FROM checkpoints WHERE cluster = ?1 AND completed = 1 ORDER BY 1`,
    );
    this.#horizon = db.prepare("SELECT earliest_ms FROM horizons WHERE cluster = ? AND resource = ?");
    this.#checkpoint = db.prepare(
      `SELECT id, position, received_at_ms FROM checkpoints
       WHERE cluster = ? AND resource = ? AND completed = 1 AND received_at_ms <= ? AND position <= ? ORDER BY position DESC, id DESC LIMIT 1`,
    );
    this.#newest = db.prepare(
      "SELECT position, received_at_ms FROM segments WHERE cluster = ? AND resource = ? ORDER BY position DESC LIMIT 1",
    );
    this.#next = db.prepare(
      "SELECT position, received_at_ms FROM segments WHERE cluster = ? AND resource = ? AND position >= ? ORDER BY position LIMIT 1",
    );
  }

  list({ cluster, atMs, resources }: PlacesRequest): readonly LogPlace[] {
    const logged = this.#resources.all(cluster).map((found) => String(found["resource"]));
    const wanted = resources === undefined ? undefined : new Set(resources);
    return logged
      .filter((resource) => wanted?.has(resource) ?? true)
      .map((resource) => {
        const earliestMs = this.earliestMs(cluster, resource);
        const none = { position: 0, receivedAtMs: 0 };
        const place = atMs < earliestMs ? none : this.find(cluster, resource, atMs);
        return { resource, ...place, earliestMs };
      });
  }

  /** The earliest moment whose rows are kept; 0 if nothing was removed. */
  earliestMs(cluster: string, resource: string): number {
    return Number(this.#horizon.get(cluster, resource)?.["earliest_ms"] ?? 0);
  }

  /** The newest complete checkpoint at or before a moment and a position. */
  newestCheckpoint(cluster: string, resource: string, atMs: number, upTo: number): Found | undefined {
    return this.#checkpoint.get(cluster, resource, atMs, upTo);
  }

  /** The newest position at or before a moment; 0 if there is none. */
  find(cluster: string, resource: string, atMs: number): TimedPosition {
    const base = toTimed(this.newestCheckpoint(cluster, resource, atMs, Number.MAX_SAFE_INTEGER));
    const newest = toTimed(this.#newest.get(cluster, resource));
    if (newest.position <= base.position) return base;
    return newest.receivedAtMs <= atMs ? newest : this.#search(cluster, resource, { atMs, base, end: newest.position });
  }

  /** `base` is at or before the moment, `end` is the position of a segment after it. */
  #search(
    cluster: string,
    resource: string,
    { atMs, base, end }: { readonly atMs: number; readonly base: TimedPosition; readonly end: number },
  ): TimedPosition {
    let [low, high] = [base, end];
    while (high - low.position > 1) {
      const middle = Math.floor((low.position + high) / 2);
      const found = toTimed(this.#next.get(cluster, resource, middle));
      if (found.position < high && found.receivedAtMs <= atMs) low = found;
      else high = middle;
    }
    return low;
  }
}

function toTimed(found: Found | undefined): TimedPosition {
  return { position: Number(found?.["position"] ?? 0), receivedAtMs: Number(found?.["received_at_ms"] ?? 0) };
}
