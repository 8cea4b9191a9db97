// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openScratch } from "../../test/support/store-under-test.ts";
import { dataPaths, lockDataDirectory } from "./data-directory.ts";

/** A process that takes the folder, says so, and keeps it until it is killed. */
const holder = `
  import { lockDataDirectory } from ${JSON.stringify(new URL("./data-directory.ts", import.meta.url).href)};
  globalThis.lock = lockDataDirectory(process.argv[1]);
  process.stdout.write("held");
  process.stdin.resume();
`;

describe("a data directory", () => {
  test("[ST24] it is made with mode 700 and belongs to one at a time", () => {
    using scratch = openScratch();
    const folder = scratch.path("deep/data");
    const lock = lockDataDirectory(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const refusal = expect.objectContaining({ code: "STORE_IN_USE", message: expect.stringContaining(folder) });
    expect(() => lockDataDirectory(folder)).toThrow(refusal);
    lock[Symbol.dispose]();
    lockDataDirectory(folder)[Symbol.dispose]();
  });

  test("[ST24] a second process is refused while the first lives, and not a moment longer after it was killed", async () => {
    using scratch = openScratch();
    const child = spawn(process.execPath, ["--input-type=module", "-e", holder, scratch.folder], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const exited = new Promise((resolve) => child.on("exit", resolve));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    expect(() => lockDataDirectory(scratch.folder)).toThrow(expect.objectContaining({ code: "STORE_IN_USE" }));
    child.kill("SIGKILL");
    await exited;
    lockDataDirectory(scratch.folder)[Symbol.dispose]();
  });

  test("[ST24] a file in its place, or a folder that cannot be written, is refused with one sentence", () => {
    using scratch = openScratch();
    writeFileSync(scratch.path("file"), "");
    const unavailable = expect.objectContaining({
      code: "UNAVAILABLE",
      message: expect.stringContaining("data directory"),
    });
    expect(() => lockDataDirectory(scratch.path("file"))).toThrow(unavailable);
    expect(() => lockDataDirectory("/sys/flotilla")).toThrow(unavailable);
  });

  test("everything of a hub lies under its folder", () => {
    const { folder, ...paths } = dataPaths("data");
    for (const path of Object.values(paths)) expect(path.startsWith(`${folder}/`)).toBe(true);
  });
});
