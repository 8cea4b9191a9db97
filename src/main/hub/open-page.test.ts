// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findOpener, openPage, renderOpener } from "./open-page.ts";

const link = "http://127.0.0.1:7080/ui/login#code=flt_login_aB-_9";

test.each([
  ["a terminal of a Linux desktop", true, "linux", { DISPLAY: ":0" }, "xdg-open"],
  ["the same on Wayland", true, "linux", { WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"],
  ["a terminal of a Mac", true, "darwin", {}, "open"],
  ["no terminal", false, "linux", { DISPLAY: ":0" }, undefined],
  ["no desktop", true, "linux", {}, undefined],
  ["an empty display", true, "linux", { DISPLAY: "" }, undefined],
  ["a terminal far away", true, "linux", { DISPLAY: "localhost:10.0", SSH_CONNECTION: "a b c d" }, undefined],
  ["a Mac far away", true, "darwin", { SSH_CONNECTION: "a b c d" }, undefined],
  ["another system", true, "win32", { DISPLAY: ":0" }, undefined],
] as const)("[PG4] %s", (_where, isTerminal, platform, env, opener) => {
  expect(findOpener({ stdout: { write: () => undefined, isTerminal }, env }, platform)).toBe(opener);
});

test("[PG4] the link goes to the browser by a file that only its owner can read, and that goes away", () => {
  const folder = mkdtempSync(join(tmpdir(), "flotilla-open-"));
  const file = join(folder, "open-page.html");
  try {
    // A program that is not there: opening is a courtesy, so nothing fails.
    const opened = openPage(link, "flotilla-no-such-opener", folder);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(`content="0; url=${link}"`);
    opened[Symbol.dispose]();
    expect(existsSync(file)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what is no link of ours cannot leave the attribute that it stands in", () => {
  expect(renderOpener(`http://x/"><script>steal()</script>`)).toContain('url=http://x/scriptsteal/script"');
});
