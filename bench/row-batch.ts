// SPDX-License-Identifier: Apache-2.0
// Row batches against protobuf with one message per row, on the same 100,000 rows in the same run: speed of encoding
// and decoding on one core, bytes per row before and after zstd. Budget: >= 1 M rows/s decoded and appended, <= 120
// bytes a row.
import { zstdCompressSync } from "node:zlib";
import { create, type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf";
import { parseClusterId } from "../src/model/cluster-id.ts";
import { createResourceId } from "../src/model/gvr.ts";
import { decodeRowBatch } from "../src/model/row-batch/decode.ts";
import { encodeRowBatch, type RowBatchContent } from "../src/model/row-batch/encode.ts";
import { RowColumns } from "../src/model/row-batch/row-columns.ts";
import { ConcatenatingArena } from "../src/model/row-batch/testing/concatenating-arena.ts";
import { createHasher } from "../src/model/rows/hasher.ts";
import { RowSealer } from "../src/model/rows/row-sealer.ts";
import { createFleetRows } from "./support/fleet-rows.ts";
import { createPeerSchema, toPeerRow } from "./support/protobuf-rows.ts";

/** Runs of each part; the first ones also warm the code up. */
const minRunCount = 2;
const maxRunCount = 20;

/** Rows of one piece: a busy cluster's flush. */
const pieceRowCount = 1000;

/** CPU time after which a part has been measured enough; all parts together stay below half a minute. */
const measuredMicros = 800_000;

/**
 * Rows per second of CPU time, all threads of the process together: the best of several runs, whatever else the machine
 * does.
 */
function rowsPerSecond(rowCount: number, run: () => void): number {
  let bestMicros = Number.POSITIVE_INFINITY;
  let spentMicros = 0;
  for (let at = 0; at < minRunCount || (at < maxRunCount && spentMicros < measuredMicros); at += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    bestMicros = Math.min(bestMicros, user + system);
    spentMicros += user + system;
  }
  return Math.round((rowCount / bestMicros) * 1_000_000);
}

const hasher = await createHasher();
const cluster = parseClusterId("prod-east");

function countRows(batches: readonly RowBatchContent[]): number {
  return batches.reduce((sum, batch) => sum + batch.rows.length, 0);
}

/**
 * Each encoder is measured in a call of its own: what it was given is garbage before decoding is measured, as in a real
 * receiver.
 */
function measureEncode(): {
  encoded: Uint8Array[];
  pieces: Uint8Array[];
  rowCount: number;
  encode: number;
  encodePieces: number;
  seal: number;
} {
  const batches = createFleetRows(hasher);
  const rowCount = countRows(batches);
  let encoded: Uint8Array[] = [];
  const encode = rowsPerSecond(rowCount, () => {
    encoded = batches.map((batch) => encodeRowBatch(batch, hasher));
  });
  const rows = batches[0]?.rows ?? [];
  const sealer = new RowSealer(cluster, createResourceId("", "pods"), hasher);
  const seal = rowsPerSecond(rows.length, () => rows.forEach((row) => sealer.seal(row)));
  let pieces: Uint8Array[] = [];
  const encodePieces = rowsPerSecond(rowCount, () => {
    pieces = batches.flatMap((batch) =>
      inPieces(batch.rows).map((piece) => encodeRowBatch({ ...batch, rows: piece }, hasher)),
    );
  });
  return { encoded, pieces, rowCount, encode, encodePieces, seal };
}

interface PeerBatch {
  readonly schema: DescMessage;
  readonly bytes: Uint8Array;
}

/**
 * Rows in pieces of a size that a change flush has. The peer decodes these fastest: its objects die before they are
 * promoted.
 */
function inPieces<Value>(all: readonly Value[]): Value[][] {
  const pieces: Value[][] = [];
  for (let from = 0; from < all.length; from += pieceRowCount) pieces.push(all.slice(from, from + pieceRowCount));
  return pieces;
}

function measurePeerEncode(): { encoded: PeerBatch[]; encode: number } {
  const batches = createFleetRows(hasher);
  const messages = batches.flatMap((batch) => {
    const schema = createPeerSchema(batch.columns);
    return inPieces(batch.rows).map((rows) => ({ schema, message: create(schema, { rows: rows.map(toPeerRow) }) }));
  });
  let encoded: PeerBatch[] = [];
  const encode = rowsPerSecond(countRows(batches), () => {
    encoded = messages.map(({ schema, message }) => ({ schema, bytes: toBinary(schema, message) }));
  });
  return { encoded, encode };
}

function bytesPerRow(pieces: readonly Uint8Array[], rowCount: number): number {
  return Math.round((pieces.reduce((sum, bytes) => sum + bytes.length, 0) / rowCount) * 10) / 10;
}

const { encoded, pieces, rowCount, encode, encodePieces, seal } = measureEncode();
const decode = rowsPerSecond(rowCount, () => encoded.forEach((bytes) => decodeRowBatch(bytes, hasher)));
const append = rowsPerSecond(rowCount, () => {
  const columns = new RowColumns(new ConcatenatingArena());
  for (const bytes of encoded) decodeRowBatch(bytes, hasher).appendTo(columns);
});
const appendPieces = rowsPerSecond(rowCount, () => {
  const columns = new RowColumns(new ConcatenatingArena());
  for (const bytes of pieces) decodeRowBatch(bytes, hasher).appendTo(columns);
});
let readCharCount = 0;
const materialise = rowsPerSecond(rowCount, () => {
  for (const bytes of encoded) for (const row of decodeRowBatch(bytes, hasher).rows()) readCharCount += row.name.length;
});
const peer = measurePeerEncode();
const peerBytes = peer.encoded.map(({ bytes }) => bytes);
const peerDecode = rowsPerSecond(rowCount, () =>
  peer.encoded.forEach(({ schema, bytes }) => fromBinary(schema, bytes)),
);

const rowBatch = {
  sealRowsPerSecond: seal,
  encodeRowsPerSecond: encode,
  decodeRowsPerSecond: decode,
  decodeAppendRowsPerSecond: append,
  decodeToRowsPerSecond: materialise,
  bytesPerRow: bytesPerRow(encoded, rowCount),
  bytesPerRowZstd: bytesPerRow(
    encoded.map((bytes) => zstdCompressSync(bytes)),
    rowCount,
  ),
};
const rowBatchInPieces = {
  rowsPerPiece: pieceRowCount,
  encodeRowsPerSecond: encodePieces,
  decodeAppendRowsPerSecond: appendPieces,
  bytesPerRow: bytesPerRow(pieces, rowCount),
  bytesPerRowZstd: bytesPerRow(
    pieces.map((bytes) => zstdCompressSync(bytes)),
    rowCount,
  ),
};
const protobufPerRow = {
  encodeRowsPerSecond: peer.encode,
  decodeRowsPerSecond: peerDecode,
  bytesPerRow: bytesPerRow(peerBytes, rowCount),
  bytesPerRowZstd: bytesPerRow(
    peerBytes.map((bytes) => zstdCompressSync(bytes)),
    rowCount,
  ),
};
/** Both in pieces of the same rows; the peer's decoding ends with objects, ours with columns. */
const ratio = {
  decodeSpeed: Math.round((appendPieces / peerDecode) * 10) / 10,
  encodeSpeed: Math.round((encodePieces / peer.encode) * 10) / 10,
  bytes: Math.round((protobufPerRow.bytesPerRow / rowBatchInPieces.bytesPerRow) * 10) / 10,
};
const isKept = append >= 1_000_000 && rowBatch.bytesPerRow <= 120;
console.log(
  JSON.stringify({
    bench: "row-batch",
    rowCount,
    readCharCount,
    rowBatch,
    rowBatchInPieces,
    protobufPerRow,
    ratio,
    isKept,
  }),
);
console.log(
  `row batch: ${append.toLocaleString("en")} rows/s decoded and appended (budget 1,000,000), ${rowBatch.bytesPerRow} bytes a row ` +
    `(budget 120), ${rowBatch.bytesPerRowZstd} after zstd: ${isKept ? "kept" : "NOT KEPT"}. Protobuf with a message per row: ` +
    `${peerDecode.toLocaleString("en")} rows/s decoded, ${protobufPerRow.bytesPerRow} bytes, ${protobufPerRow.bytesPerRowZstd} after zstd; ` +
    `in pieces of ${pieceRowCount} rows we decode ${ratio.decodeSpeed}x and encode ${ratio.encodeSpeed}x as fast, in 1/${ratio.bytes} of the bytes.`,
);
