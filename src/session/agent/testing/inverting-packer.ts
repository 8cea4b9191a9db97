// SPDX-License-Identifier: Apache-2.0
import type { BytePacker } from "../byte-arena.ts";

const inverted = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0xff);

/** Inverts bytes instead of compressing them, so that a read without unpacking is found. */
export const invertingPacker: BytePacker = { pack: inverted, unpack: inverted };
