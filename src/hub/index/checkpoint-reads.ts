// SPDX-License-Identifier: Apache-2.0

import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { KindSnapshot, SnapshotGroup } from "../../index/fold/fold-part.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { Row } from "../../model/rows/row.ts";
import { checkpointPieceBytes } from "../../store/fleet-log/fleet-log.ts";
import type { OpenCheckpoint } from "./index-messages.ts";

/** Rows in one piece: some 10 ms of encoding, and far below the size limit of a piece unless rows are large. */
const pieceRowCount = 2_048;

/** The fields that all rows of one batch share. */
type Shape = Pick<SnapshotGroup, "kind" | "columns">;

interface Piece {
  readonly shape: Shape;
  readonly rows: readonly Row[];
}

interface Reading {
  readonly snapshot: KindSnapshot;
  readonly pieces: Iterator<Piece>;
  /** Halves of a piece that was too large, in order. */
  waiting: readonly Piece[];
}

export interface CheckpointReadsOptions {
  readonly tables: FleetTables;
  readonly codec: Codec;
  readonly hasher: Hasher;
}

/** The checkpoints that are being written: the rows of one kind at one moment, as compressed batches. */
export class CheckpointReads {
  readonly #options: CheckpointReadsOptions;
  readonly #open = new Map<number, Reading>();
  #lastId = 0;

  constructor(options: CheckpointReadsOptions) {
    this.#options = options;
  }

  open(cluster: string, resource: string): OpenCheckpoint | undefined {
    const snapshot = this.#options.tables.snapshot(cluster, resource);
    if (snapshot === undefined) return undefined;
    this.#lastId += 1;
    this.#open.set(this.#lastId, { snapshot, pieces: toPieces(snapshot), waiting: [] });
    return { id: this.#lastId, position: snapshot.position };
  }

  /** Undefined after the last piece. */
  async read(id: number): Promise<Uint8Array | undefined> {
    const { codec, hasher } = this.#options;
    for (;;) {
      const reading = this.#open.get(id);
      const piece = reading === undefined ? undefined : takePiece(reading);
      if (reading === undefined || piece === undefined) return undefined;
      const { shape, rows } = piece;
      const content = { resource: reading.snapshot.resource, ...shape, rows, deletes: [] };
      const bytes = await codec.compress(encodeRowBatch(content, hasher));
      if (bytes.length <= checkpointPieceBytes || rows.length <= 1) return bytes;
      const half = Math.ceil(rows.length / 2);
      reading.waiting = [{ shape, rows: rows.slice(0, half) }, { shape, rows: rows.slice(half) }, ...reading.waiting];
    }
  }

  close(id: number): void {
    this.#open.delete(id);
  }
}

function takePiece(reading: Reading): Piece | undefined {
  const [first, ...others] = reading.waiting;
  if (first !== undefined) {
    reading.waiting = others;
    return first;
  }
  const next = reading.pieces.next();
  return next.done === true ? undefined : next.value;
}

function isSameShape(a: Shape, b: Shape): boolean {
  return JSON.stringify([a.kind, a.columns]) === JSON.stringify([b.kind, b.columns]);
}

/** Joins adjacent groups of one shape, so that a checkpoint has few pieces. */
function* toPieces({ groups }: KindSnapshot): Generator<Piece, void, undefined> {
  let shape: Shape | undefined;
  let rows: Row[] = [];
  for (const group of groups) {
    if (shape !== undefined && rows.length > 0 && !isSameShape(shape, group)) {
      yield { shape, rows };
      rows = [];
    }
    shape = { kind: group.kind, columns: group.columns };
    for (const row of group.rows()) {
      rows.push(row);
      if (rows.length < pieceRowCount) continue;
      yield { shape, rows };
      rows = [];
    }
  }
  if (shape !== undefined && rows.length > 0) yield { shape, rows };
}
