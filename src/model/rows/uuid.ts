// SPDX-License-Identifier: Apache-2.0
// UUIDs in the form that Kubernetes writes, as 16 bytes instead of 36 characters. Any other text, including one with
// capital letters, does not count as a UUID, so that a uid is always restored exactly.

/** Bytes of a UUID. */
export const uuidBytes = 16;

/** The characters, and so the bytes, of its text. */
export const uuidTextBytes = 36;

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const nilUuid = "00000000-0000-0000-0000-000000000000";
/** The index of each byte's first character. */
const textPlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** Whether the text can be restored exactly from 16 bytes. */
export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** Byte `at` of a UUID's 16. */
export function uuidByte(uuid: string, at: number): number {
  const place = textPlaces[at] ?? 0;
  return nibble(uuid.charCodeAt(place)) * 16 + nibble(uuid.charCodeAt(place + 1));
}

function nibble(unit: number): number {
  return unit < 0x3a ? unit - 0x30 : unit - 0x57;
}

/** The characters of the text being built. Reused by every call. */
const characters = Array.from(nilUuid, (character) => character.charCodeAt(0));

/**
 * The text of the UUID whose 16 bytes begin at `from`. It is built in one piece: a concatenation would stay a tree of
 * strings until it is first read.
 */
export function uuidText(bytes: Uint8Array, from: number): string {
  for (let at = 0; at < uuidBytes; at += 1) {
    const [byte, place] = [bytes[from + at] ?? 0, textPlaces[at] ?? 0];
    characters[place] = hexDigit(byte >>> 4);
    characters[place + 1] = hexDigit(byte & 15);
  }
  return String.fromCharCode(...characters);
}

function hexDigit(value: number): number {
  return value < 10 ? value + 0x30 : value + 0x57;
}
