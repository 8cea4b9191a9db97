// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { bitString, integer, objectIdentifier, sequence, tagged, time } from "./der.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("[RP12] lengths take the short form below 128 bytes and the shortest long form above", () => {
  expect(hex(tagged(0x04, new Uint8Array(127))).slice(0, 4)).toBe("047f");
  expect(hex(tagged(0x04, new Uint8Array(128))).slice(0, 6)).toBe("048180");
  expect(hex(tagged(0x04, new Uint8Array(256))).slice(0, 8)).toBe("04820100");
});

test("[RP12] an integer is minimal and never negative", () => {
  expect(hex(integer(Uint8Array.of(0)))).toBe("020100");
  expect(hex(integer(Uint8Array.of(0, 0, 127)))).toBe("02017f");
  expect(hex(integer(Uint8Array.of(128)))).toBe("02020080");
  expect(hex(integer(Uint8Array.of(0, 255, 1)))).toBe("020300ff01");
});

test("[RP12] an object identifier packs its first two arcs and spreads large ones over 7-bit groups", () => {
  expect(hex(objectIdentifier("1.2.840.10045.4.3.2"))).toBe("06082a8648ce3d040302");
  expect(hex(objectIdentifier("2.5.29.17"))).toBe("0603551d11");
});

test("[RP12] times have two-digit years up to 2049 and four digits after", () => {
  expect(Buffer.from(time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))).toString("latin1")).toBe("\x17\x0d491231235959Z");
  expect(Buffer.from(time(Date.UTC(2050, 0, 1))).toString("latin1")).toBe("\x18\x0f20500101000000Z");
});

test("[RP12] values nest", () => {
  expect(hex(sequence(integer(Uint8Array.of(1)), bitString(Uint8Array.of(0x80), 7)))).toBe("300702010103020780");
});
