// SPDX-License-Identifier: Apache-2.0
// Constants of the row batch format. The layout is in docs/spec/contracts.md under CO36.

/** The first four bytes of every row batch of any version: "FLRB". */
export const magic: readonly number[] = [0x46, 0x4c, 0x52, 0x42];

/**
 * Version of the layout this build writes and reads.
 * 1: first.
 */
export const formatVersion = 1;

/** The bytes of the xxHash64 at the end. */
export const checkBytes = 8;

/**
 * The limit on the bytes of a batch: 16 times the default message limit, so that a compressed batch that fits a message
 * fits here uncompressed.
 */
export const maxBatchBytes = 64 * 1024 * 1024;

/**
 * The limit on rows, and on deletes, of a batch. At some 100 bytes a row this is three default messages; more rows need
 * several batches.
 */
export const maxRowCount = 131_072;

/** The limit on the bytes of one text: a whole row has no more (CO24). */
export const maxTextBytes = 65_536;

/**
 * The limit on the prefix bytes that a text shares with the previous one. It fits one byte, and bounds the expansion of
 * a few bytes.
 */
export const maxSharedBytes = 255;

/** The limit on columns of a kind. The richest kinds have about twenty. */
export const maxColumnCount = 64;

/**
 * The limit on bytes that the decoder allocates for one batch. A batch at all limits above can exceed it unless its
 * columns are sparse, so it is checked separately.
 */
export const maxDecodedBytes = 256 * 1024 * 1024;

/** In arrays of ids: the row has no value. No table has that many entries. */
export const absentId = 0xffff_ffff;

/**
 * In arrays of booleans, beside 0 and 1: the row has no value. Arrays of numbers use NaN, which is never a value
 * (CO23).
 */
export const absentBoolean = 2;
