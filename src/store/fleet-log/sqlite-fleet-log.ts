// SPDX-License-Identifier: Apache-2.0
// The fleet log in one SQLite file. All calls are synchronous: they run in the log's own thread.
import { type DatabaseSync, type StatementSync } from "node:sqlite";
import type { Clock } from "../../base/time/clock.ts";
import { openDatabase } from "../sqlite/database.ts";
import { inTransaction, Snapshots } from "../sqlite/transaction.ts";
import type {
  AppendOutcome,
  Flush,
  FlushPart,
  FollowPage,
  FollowRequest,
  LoadPage,
  LoadRequest,
  LoggedResource,
  LogPlace,
  LogProgress,
  PlacesRequest,
  RaiseOutcome,
} from "./fleet-log.ts";
import { FleetLogFollower } from "./fleet-log-follower.ts";
import { FleetLogReader } from "./fleet-log-reader.ts";
import { FleetLogRetention } from "./fleet-log-retention.ts";
import { assertAppended, assertPieceSize, decideAppend, decideRaise, noCheckpoint } from "./fleet-log-rules.ts";
import type { GroupableLog } from "./grouped-fleet-log.ts";

/** The embedded fleet log. Each write is its own transaction unless it runs inside `together`. */
export class SqliteFleetLog implements GroupableLog {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #db: DatabaseSync;
  readonly #snapshots: Snapshots;
  readonly #reader: FleetLogReader;
  readonly #retention: FleetLogRetention;
  readonly #follower: FleetLogFollower;
  readonly #progress: StatementSync;
  readonly #saveProgress: StatementSync;
  readonly #newestMs: StatementSync;
  readonly #insertSegment: StatementSync;
  readonly #resources: StatementSync;
  readonly #beginCheckpoint: StatementSync;
  readonly #addPiece: StatementSync;
  readonly #complete: StatementSync;
  #isTogether = false;

  constructor(options: { readonly file: string; readonly clock: Clock }) {
    this.#file = options.file;
    this.#clock = options.clock;
    const db = openDatabase("fleet", options.file, options.clock.wallMs());
    this.#db = db;
    this.#snapshots = new Snapshots(db, options.file);
    this.#reader = new FleetLogReader(db);
    this.#retention = new FleetLogRetention(db);
    this.#follower = new FleetLogFollower(db);
    this.#progress = db.prepare(
      "SELECT epoch, incarnation, seq, received_at_ms FROM progress WHERE cluster = ? AND shard = ?",
    );
    this.#saveProgress = db.prepare(
      "INSERT OR REPLACE INTO progress (cluster, shard, epoch, incarnation, seq, received_at_ms) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#newestMs = db.prepare("SELECT max(received_at_ms) AS ms FROM progress WHERE cluster = ?");
    this.#insertSegment = db.prepare(
      "INSERT INTO segments (cluster, resource, form, bucket, incarnation, seq, received_at_ms, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    );
    this.#resources = db.prepare(
      "SELECT cluster, resource FROM segments UNION SELECT cluster, resource FROM checkpoints WHERE completed = 1 ORDER BY 1, 2",
    );
    // The covered range ends with a segment or, if retention removed that, with the checkpoint that replaced it.
    this.#beginCheckpoint = db.prepare(
      `INSERT INTO checkpoints (cluster, resource, position, received_at_ms, completed)
       SELECT ?1, ?2, ?3, coalesce(max(received_at_ms), 0), 0 FROM (
         SELECT received_at_ms FROM segments WHERE cluster = ?1 AND resource = ?2 AND position <= ?3
         UNION ALL SELECT received_at_ms FROM checkpoints WHERE cluster = ?1 AND resource = ?2 AND completed = 1 AND position <= ?3)`,
    );
    this.#addPiece = db.prepare(
      `INSERT INTO checkpoint_pieces (checkpoint_id, piece, bytes)
       SELECT id, (SELECT count(*) FROM checkpoint_pieces WHERE checkpoint_id = id), ?2 FROM checkpoints WHERE id = ?1 AND completed = 0`,
    );
    this.#complete = db.prepare("UPDATE checkpoints SET completed = 1 WHERE id = ? AND completed = 0");
    this.#transaction(() => this.#retention.removeUnfinished());
  }

  together<Result>(work: () => Result): Result {
    return this.#transaction(() => {
      this.#isTogether = true;
      try {
        return work();
      } finally {
        this.#isTogether = false;
      }
    });
  }

  append(flush: Flush): AppendOutcome {
    return this.#transaction(() => {
      const decided = decideAppend(this.progress(flush.cluster, flush.shard), flush);
      if (decided.kind !== "append") return decided;
      const receivedAtMs = Math.max(this.#clock.wallMs(), Number(this.#newestMs.get(flush.cluster)?.["ms"] ?? 0));
      for (const part of flush.parts) this.#insertPart(flush, part, receivedAtMs);
      this.#save(flush.cluster, flush.shard, { ...flush, receivedAtMs });
      return { kind: "appended", receivedAtMs, position: this.#follower.headPosition() };
    });
  }

  raiseEpoch(cluster: string, shard: string, epoch: number): RaiseOutcome {
    return this.#transaction(() => {
      const outcome = decideRaise(this.progress(cluster, shard), epoch);
      if (outcome.kind === "raised") this.#save(cluster, shard, outcome.durable);
      return outcome;
    });
  }

  progress(cluster: string, shard: string): LogProgress | undefined {
    const found = this.#progress.get(cluster, shard);
    if (found === undefined) return undefined;
    return {
      epoch: Number(found["epoch"]),
      incarnation: String(found["incarnation"]),
      seq: Number(found["seq"]),
      receivedAtMs: Number(found["received_at_ms"]),
    };
  }

  resources(): readonly LoggedResource[] {
    return this.#resources
      .all()
      .map((found) => ({ cluster: String(found["cluster"]), resource: String(found["resource"]) }));
  }

  load(request: LoadRequest): LoadPage {
    return this.#snapshot(() => this.#reader.load(request));
  }

  places(request: PlacesRequest): readonly LogPlace[] {
    return this.#snapshot(() => this.#reader.places.list(request));
  }

  headPosition(): number {
    return this.#snapshot(() => this.#follower.headPosition());
  }

  follow(request: FollowRequest): FollowPage {
    return this.#snapshot(() => this.#follower.follow(request));
  }

  beginCheckpoint(cluster: string, resource: string, position: number): number {
    assertAppended(position, this.headPosition());
    return this.#transaction(() => Number(this.#beginCheckpoint.run(cluster, resource, position).lastInsertRowid));
  }

  addCheckpointPiece(checkpoint: number, bytes: Uint8Array): void {
    assertPieceSize(bytes);
    this.#transaction(() => {
      if (this.#addPiece.run(checkpoint, bytes).changes === 0) throw noCheckpoint(checkpoint);
    });
  }

  completeCheckpoint(checkpoint: number): void {
    this.#transaction(() => {
      if (this.#complete.run(checkpoint).changes === 0) throw noCheckpoint(checkpoint);
    });
  }

  retain(beforeMs: number): { readonly removed: number; readonly more: boolean } {
    return this.#transaction(() => this.#retention.retain(beforeMs));
  }

  removeCluster(cluster: string): { readonly more: boolean } {
    return this.#transaction(() => {
      this.#follower.noteRemoval(cluster);
      return this.#retention.removeCluster(cluster);
    });
  }

  close(): void {
    this.#db.close();
  }

  #insertPart(flush: Flush, { resource, form, bytes }: FlushPart, receivedAtMs: number): void {
    const [code, bucket] = form.kind === "delta" ? [0, null] : [1, form.bucket];
    this.#insertSegment.run(flush.cluster, resource, code, bucket, flush.incarnation, flush.seq, receivedAtMs, bytes);
  }

  #save(cluster: string, shard: string, { epoch, incarnation, seq, receivedAtMs }: LogProgress): void {
    this.#saveProgress.run(cluster, shard, epoch, incarnation, seq, receivedAtMs);
  }

  #snapshot<Result>(work: () => Result): Result {
    return this.#isTogether ? work() : this.#snapshots.run(work);
  }

  #transaction<Result>(work: () => Result): Result {
    return this.#isTogether ? work() : inTransaction(this.#db, this.#file, work);
  }
}
