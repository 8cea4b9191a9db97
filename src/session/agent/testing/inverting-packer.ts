// SPDX-License-Identifier: Apache-2.0
import type { BytePacker } from "../byte-packer.ts";

const inverted = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 0xff);

/** Packs nothing, but what is packed reads otherwise, so that whoever reads it without unpacking it is found out. */
export const invertingPacker: BytePacker = { pack: inverted, unpack: inverted };
