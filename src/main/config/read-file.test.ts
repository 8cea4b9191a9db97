// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readFileNow } from "./read-file.ts";

const folder = mkdtempSync(join(tmpdir(), "flotilla-read-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string | Buffer, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test("a file is read with its permission bits", () => {
  expect(readFileNow(write("a", "text é", 0o644))).toMatchObject({ kind: "text", text: "text é", mode: 0o100_644 });
  expect(readFileNow(write("b", ""))).toMatchObject({ kind: "text", text: "", mode: 0o100_600 });
});

test("what cannot be read is said in words", () => {
  const reason = `${folder}/gone does not exist`;
  expect(readFileNow(join(folder, "gone"))).toEqual({ kind: "unreadable", reason, isMissing: true });
  expect(readFileNow(folder)).toEqual({ kind: "unreadable", reason: `${folder} is a folder` });
  expect(readFileNow("a\0b")).toMatchObject({ kind: "unreadable" });
});

test("a file over 64 KiB, or one that never ends, is refused", () => {
  expect(readFileNow(write("big", Buffer.alloc(65_537)))).toMatchObject({ kind: "unreadable" });
  expect(readFileNow("/dev/zero")).toEqual({ kind: "unreadable", reason: "/dev/zero is larger than 64 KiB" });
});
