// SPDX-License-Identifier: Apache-2.0
// A real browser for tests and benches: the machine's own, else the one in the npm package, which needs neither root
// nor system packages.
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { root } from "../../scripts/project.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** The machine's own browser; FLOTILLA_BROWSER names another. */
function findOnPath(): string | undefined {
  const given = process.env["FLOTILLA_BROWSER"];
  if (given !== undefined) return given;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Unpacks the packaged browser once for all test processes. It is unpacked aside and put in place whole: two may come
 * at once.
 */
function unpackPackaged(): string {
  const folder = join(root, "node_modules", "@sparticuz", "chromium");
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  const target = join(root, "node_modules", ".cache", `browser-${version}`);
  if (!existsSync(target)) {
    mkdirSync(join(target, ".."), { recursive: true });
    const scratch = mkdtempSync(`${target}.`);
    try {
      const code = `import("@sparticuz/chromium").then(({ default: packaged }) => packaged.executablePath())`;
      execFileSync(process.execPath, ["--input-type=module", "-e", code], {
        cwd: root,
        env: { ...process.env, TMPDIR: scratch },
      });
      renameSync(scratch, target);
    } catch (reason) {
      // Another process was first, and a folder that holds something cannot be replaced.
      if (!existsSync(target)) throw reason;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return join(target, "chromium");
}

/** Starts a browser without a window. Close it. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findOnPath() ?? unpackPackaged(),
    // No sandbox: test machines and containers often run as root. No GPU process: there is none to talk to.
    args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none"],
  });
}
