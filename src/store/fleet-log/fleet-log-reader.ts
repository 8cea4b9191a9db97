// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { LoadCursor, LoadedSegment, LoadPage, LoadRequest, SegmentForm } from "./fleet-log.ts";
import { FleetLogPlaces } from "./fleet-log-places.ts";
import { goneBefore } from "./fleet-log-rules.ts";

type Found = Record<string, SQLOutputValue>;

/** A value after every piece: the checkpoint, if any, has been read. */
const afterPieces = Number.MAX_SAFE_INTEGER;

/** Reads history: a checkpoint's pieces, then the segments after it (FL6). */
export class FleetLogReader {
  readonly places: FleetLogPlaces;
  readonly #checkpoint: StatementSync;
  readonly #pieces: StatementSync;
  readonly #segments: StatementSync;

  constructor(db: DatabaseSync) {
    this.places = new FleetLogPlaces(db);
    this.#checkpoint = db.prepare(
      "SELECT id, position, received_at_ms FROM checkpoints WHERE id = ? AND completed = 1",
    );
    this.#pieces = db.prepare(
      "SELECT piece, bytes FROM checkpoint_pieces WHERE checkpoint_id = ? AND piece > ? ORDER BY piece",
    );
    this.#segments = db.prepare(
      `SELECT position, form, bucket, received_at_ms, bytes FROM segments
       WHERE cluster = ? AND resource = ? AND position > ? AND position <= ? ORDER BY position`,
    );
  }

  load(request: LoadRequest): LoadPage {
    const { cluster, resource, asOfMs = Number.MAX_SAFE_INTEGER, from, after } = request;
    const earliestMs = this.places.earliestMs(cluster, resource);
    if (Math.min(asOfMs, from?.receivedAtMs ?? asOfMs) < earliestMs) throw goneBefore(earliestMs);
    const upTo = this.#endOf(request);
    if (from !== undefined) {
      const start = after ?? { checkpoint: 0, piece: afterPieces, position: from.position };
      return this.#page(request, start, undefined, upTo);
    }
    const base =
      after === undefined
        ? this.places.newestCheckpoint(cluster, resource, asOfMs, upTo)
        : this.#checkpoint.get(after.checkpoint);
    // A load that began without a checkpoint is incomplete once retention has removed segments.
    const isCut = after !== undefined || request.upTo !== undefined;
    if (isCut && base === undefined && ((after?.checkpoint ?? 0) !== 0 || earliestMs > 0)) throw goneBefore(earliestMs);
    const start = after ?? {
      checkpoint: Number(base?.["id"] ?? 0),
      piece: -1,
      position: Number(base?.["position"] ?? 0),
    };
    return this.#page(request, start, base, upTo);
  }

  /** Receive times grow with positions (FL8), so the end is found without reading what came later. */
  #endOf({ cluster, resource, asOfMs, upTo = Number.MAX_SAFE_INTEGER }: LoadRequest): number {
    return asOfMs === undefined ? upTo : Math.min(upTo, this.places.find(cluster, resource, asOfMs).position);
  }

  #page(request: LoadRequest, start: LoadCursor, base: Found | undefined, upTo: number): LoadPage {
    const segments: LoadedSegment[] = [];
    let bytes = 0;
    let next = start;
    for (const [segment, cursor] of this.#read(request, start, base, upTo)) {
      if (bytes >= request.bytesLimit) return { segments, next };
      segments.push(segment);
      bytes += segment.bytes.length;
      next = cursor;
    }
    return { segments };
  }

  *#read(
    request: LoadRequest,
    start: LoadCursor,
    base: Found | undefined,
    upTo: number,
  ): Generator<readonly [LoadedSegment, LoadCursor]> {
    const { cluster, resource } = request;
    if (base !== undefined) {
      const position = Number(base["position"]);
      const receivedAtMs = Number(base["received_at_ms"]);
      for (const found of this.#pieces.iterate(start.checkpoint, start.piece)) {
        const piece = Number(found["piece"]);
        yield [
          { position, form: { kind: "checkpoint", piece }, receivedAtMs, bytes: found["bytes"] as Uint8Array },
          { ...start, piece },
        ];
      }
    }
    for (const found of this.#segments.iterate(cluster, resource, start.position, upTo)) {
      const segment = toSegment(found);
      yield [segment, { checkpoint: start.checkpoint, piece: afterPieces, position: segment.position }];
    }
  }
}

/** The form of a stored segment. */
export function toForm(found: Found): SegmentForm {
  return found["form"] === 0 ? { kind: "delta" } : { kind: "replace", bucket: Number(found["bucket"]) };
}

function toSegment(found: Found): LoadedSegment {
  return {
    position: Number(found["position"]),
    form: toForm(found),
    receivedAtMs: Number(found["received_at_ms"]),
    bytes: found["bytes"] as Uint8Array,
  };
}
