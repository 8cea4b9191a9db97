// SPDX-License-Identifier: Apache-2.0
// Constants of the row batch format; the layout is in docs/spec/contracts.md under CO36.

/** The first four bytes of every row batch of any version: "FLRB". */
export const magic: readonly number[] = [0x46, 0x4c, 0x52, 0x42];

/**
 * Version of the layout this build writes and reads.
 * 1: first.
 */
export const formatVersion = 1;

/** Bytes of the xxHash64 at the end. */
export const checkBytes = 8;

/** Most bytes of a batch: 16 times the default message limit, so that what fits a message compressed fits here uncompressed. */
export const maxBatchBytes = 64 * 1024 * 1024;

/** Most rows, and most deletes, of a batch. At some 100 bytes a row this is three default messages; more belongs in several batches. */
export const maxRowCount = 131_072;

/** Most bytes of one text: a row has no more in all (CO24). */
export const maxTextBytes = 65_536;

/** Most bytes that a text takes over from the one before. It fits one byte, and bounds what few bytes can expand to. */
export const maxSharedBytes = 255;

/** Most columns of a kind. The richest kinds have about twenty. */
export const maxColumnCount = 64;

/** Most bytes the decoder allocates for one batch. All limits above at once stay below it only if columns are sparse, so it is checked by itself. */
export const maxDecodedBytes = 256 * 1024 * 1024;

/** In arrays of ids: the row has no value. No table has so many entries. */
export const absentId = 0xffff_ffff;

/** In arrays of booleans, beside 0 and 1: the row has no value. In arrays of numbers that mark is NaN, which no value is (CO23). */
export const absentBoolean = 2;
