// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openScratchFolder } from "../testing/scratch.ts";
import { readPageFiles } from "./page-files.ts";

test("[PG5][RP48] the table has each built file by its path, with its type, and nothing else", async () => {
  await using folder = await openScratchFolder();
  mkdirSync(folder.file("assets"));
  for (const name of [
    "index.html",
    "icon.svg",
    "assets/index-COOoDyr2.js",
    "assets/plain.css",
    ".stamp",
    "notes.txt",
  ]) {
    writeFileSync(folder.file(name), name);
  }
  writeFileSync(folder.file("index.html.br"), "small");
  writeFileSync(folder.file("index.html.gz"), "smaller");
  symlinkSync("/etc/hostname", folder.file("host.html"));
  const files = readPageFiles(folder.path);
  expect([...(files?.keys() ?? [])].toSorted()).toEqual([
    "assets/index-COOoDyr2.js",
    "assets/plain.css",
    "icon.svg",
    "index.html",
  ]);
  const index = files?.get("index.html");
  expect(index).toMatchObject({ contentType: "text/html; charset=utf-8", isImmutable: false });
  expect(new Map([...(index?.coded ?? [])].map(([coding, bytes]) => [coding, bytes.toString()]))).toEqual(
    new Map([
      ["br", "small"],
      ["gzip", "smaller"],
    ]),
  );
  expect(files?.get("icon.svg")?.contentType).toBe("image/svg+xml");
});

test("[PG6] only a name below assets/ that holds a hash is for ever", async () => {
  await using folder = await openScratchFolder();
  mkdirSync(folder.file("assets"));
  const names = ["index.html", "icon-COOoDyr2.svg", "assets/index-COOoDyr2.js", "assets/plain.css", "assets/a-b.css"];
  for (const name of names) writeFileSync(folder.file(name), name);
  const files = readPageFiles(folder.path);
  expect(names.filter((name) => files?.get(name)?.isImmutable)).toEqual(["assets/index-COOoDyr2.js"]);
});

test("a folder that is not there, or holds no page, is none", async () => {
  await using folder = await openScratchFolder();
  expect(readPageFiles(folder.file("absent"))).toBeUndefined();
  expect(readPageFiles(folder.path)).toBeUndefined();
});

test("a folder that is larger than any page is refused before it is read", async () => {
  await using folder = await openScratchFolder();
  writeFileSync(folder.file("index.html"), "");
  truncateSync(folder.file("index.html"), 64 * 1024 * 1024 + 1);
  expect(() => readPageFiles(folder.path)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
