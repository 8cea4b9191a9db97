// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { FlushPart, FollowPage, FollowRequest, LoggedStep } from "./fleet-log.ts";
import { toForm } from "./fleet-log-reader.ts";
import { assertFollowable } from "./fleet-log-rules.ts";

type FlushStep = Extract<LoggedStep, { kind: "flush" }>;
type OpenFlush = Omit<FlushStep, "position" | "parts"> & { position: number; readonly parts: FlushPart[] };

/** Reads the log of all clusters by position (FL12 to FL15). The caller owns the transaction around each call. */
export class FleetLogFollower {
  readonly #head: StatementSync;
  readonly #horizon: StatementSync;
  readonly #segments: StatementSync;
  readonly #removals: StatementSync;
  readonly #forget: StatementSync;
  readonly #insert: StatementSync;
  readonly #takePosition: StatementSync;

  constructor(db: DatabaseSync) {
    this.#head = db.prepare("SELECT seq AS position FROM sqlite_sequence WHERE name = 'segments'");
    this.#horizon = db.prepare("SELECT position FROM follow_horizon");
    this.#segments = db.prepare(
      `SELECT position, cluster, resource, form, bucket, incarnation, seq, received_at_ms, bytes FROM segments
       WHERE position > ? ORDER BY position`,
    );
    this.#removals = db.prepare(
      "SELECT position, cluster FROM removals WHERE position > ? AND position <= ? ORDER BY position",
    );
    this.#forget = db.prepare("DELETE FROM removals WHERE cluster = ?");
    this.#insert = db.prepare("INSERT INTO removals (position, cluster) VALUES (?, ?)");
    this.#takePosition = db.prepare("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'segments' RETURNING seq");
  }

  /** The newest assigned position; 0 if there is none. */
  headPosition(): number {
    return Number(this.#head.get()?.["position"] ?? 0);
  }

  follow({ after, bytesLimit }: FollowRequest): FollowPage {
    const headPosition = this.headPosition();
    assertFollowable(after, Number(this.#horizon.get()?.["position"] ?? 0), headPosition);
    const flushes: OpenFlush[] = [];
    let bytes = 0;
    let isWhole = true;
    for (const found of this.#segments.iterate(after)) {
      const [cluster, incarnation] = [String(found["cluster"]), String(found["incarnation"])];
      const seq = Number(found["seq"]);
      let open = flushes.at(-1);
      if (open?.cluster !== cluster || open.incarnation !== incarnation || open.seq !== seq) {
        if (bytes >= bytesLimit && flushes.length > 0) {
          isWhole = false;
          break;
        }
        const receivedAtMs = Number(found["received_at_ms"]);
        open = { kind: "flush", position: 0, cluster, incarnation, seq, receivedAtMs, parts: [] };
        flushes.push(open);
      }
      open.position = Number(found["position"]);
      const part = { resource: String(found["resource"]), form: toForm(found), bytes: found["bytes"] as Uint8Array };
      open.parts.push(part);
      bytes += part.bytes.length;
    }
    const position = isWhole ? headPosition : (flushes.at(-1)?.position ?? after);
    return { steps: this.#withRemovals(flushes, after, position), position, headPosition };
  }

  /** Records the removal of a cluster at its own position after all earlier appends. */
  noteRemoval(cluster: string): void {
    const position = this.#takePosition.get()?.["seq"];
    // A log that never had a segment has no position: a follower cannot have read anything.
    if (position === undefined) return;
    this.#forget.run(cluster);
    this.#insert.run(position, cluster);
  }

  #withRemovals(flushes: readonly FlushStep[], after: number, upTo: number): readonly LoggedStep[] {
    const removals: readonly LoggedStep[] = this.#removals
      .all(after, upTo)
      .map((found) => ({ kind: "removed", position: Number(found["position"]), cluster: String(found["cluster"]) }));
    if (removals.length === 0) return flushes;
    return [...flushes, ...removals].sort((a, b) => a.position - b.position);
  }
}
