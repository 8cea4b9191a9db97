// SPDX-License-Identifier: Apache-2.0
// UUIDs as Kubernetes writes them, in 16 bytes in place of 36 letters. Any other text, capital letters included, is none: a uid comes back as it was.

/** Bytes of a UUID. */
export const uuidBytes = 16;

/** Characters, and so bytes, of its text. */
export const uuidTextBytes = 36;

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
/** Where the text of each byte begins. */
const textPlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;

/** Whether the text has 16 bytes that give it back. */
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

/** The text of the UUID whose 16 bytes begin at `from`. */
export function uuidText(bytes: Uint8Array, from: number): string {
  let text = "";
  for (let at = 0; at < uuidBytes; at += 1) {
    if (at === 4 || at === 6 || at === 8 || at === 10) text += "-";
    text += hexOfByte[bytes[from + at] ?? 0] ?? "";
  }
  return text;
}
