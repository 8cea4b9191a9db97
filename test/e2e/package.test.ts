// SPDX-License-Identifier: Apache-2.0
// Builds the package, packs it, installs it into an empty folder as a user would, and runs its command.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { binPath } from "../../scripts/package-entry.ts";
import { root } from "../../scripts/project.ts";
import { type ProgramResult, promptEnvironment, runProgram } from "./run-program.ts";

/** npm asks the registry for packages that its cache lacks; a slow one takes a minute or two, never this long. */
const installLimitMs = 300_000;

const scratch = mkdtempSync(join(tmpdir(), "flotilla-package-"));
const app = join(scratch, "app");
const dist = join(scratch, "dist");

function run(command: string, args: readonly string[], cwd: string): Promise<ProgramResult> {
  return runProgram(command, args, { cwd, env: promptEnvironment() });
}

/** Runs a step that later tests stand on; its own words are the failure. */
async function mustRun(command: string, args: readonly string[], cwd: string): Promise<ProgramResult> {
  const result = await run(command, args, cwd);
  if (result.code !== 0)
    throw new Error(`${command} ${args[0]} ended with ${result.code}: ${result.stdout}${result.stderr}`);
  return result;
}

function readVersion(manifestPath: string): unknown {
  const manifest: unknown = JSON.parse(readFileSync(manifestPath, "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : undefined;
}

beforeAll(async () => {
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), "{}\n");
  await mustRun(process.execPath, [join(root, "scripts/build.ts"), "--out", dist], scratch);
  await mustRun("npm", ["pack", dist, "--pack-destination", scratch, "--ignore-scripts"], scratch);
  const archive = readdirSync(scratch).find((name) => name.endsWith(".tgz")) ?? "no archive";
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--engine-strict", "--loglevel=error"];
  await mustRun("npm", ["install", join(scratch, archive), ...flags], app);
}, installLimitMs);

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

describe("the installed package", () => {
  const installed = join(app, "node_modules", "flotilla");

  test("its command runs and says the version of the repository", async () => {
    const result = await run(join(app, "node_modules", ".bin", "flotilla"), ["version"], app);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.stdout).toContain(String(readVersion(join(root, "package.json"))));
  });

  test("serves from an empty data directory, its workers among the bundled files, and ends cleanly when told to", async () => {
    const dataDir = join(scratch, "data");
    const flags = ["--data-dir", dataDir, "--port", "0", "--http-port", "0", "--admin-port", "0", "--clusters", "1"];
    const result = await runProgram(join(app, "node_modules", ".bin", "flotilla"), ["up", ...flags], {
      cwd: app,
      env: promptEnvironment(),
      stopAfter: "ready",
    });
    expect(result.stdout).toMatch(/\bready\b.*https:\/\//);
    expect(result.code).toBe(0);
    expect(readdirSync(dataDir)).toContain("hub.db");
    expect(readdirSync(dataDir)).not.toContain("run.json");
  });

  test("a wrong call ends with a code and one sentence", async () => {
    const result = await run(join(app, "node_modules", ".bin", "flotilla"), ["no-such-verb"], app);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("no-such-verb");
    expect(result.stderr).not.toContain("    at ");
  });

  test("holds built JavaScript, migrations and the licence; no TypeScript, no test, no tool", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", binPath]));
    expect(files.filter((name) => name.endsWith(".sql")).length).toBeGreaterThan(0);
    expect(files.filter((name) => /\.ts$|\.test\.|testing|scripts|bench/.test(name))).toEqual([]);
  });

  test("every migration of the repository is in it", () => {
    const list = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    expect(list(join(installed, "sql"))).toEqual(list(join(root, "sql")));
  });

  test("[IN8] needs no other package", () => {
    expect(readdirSync(join(app, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["flotilla"]);
  });

  /** Files of the package that a command loads. */
  async function loadedBy(words: readonly string[]): Promise<readonly string[]> {
    const traces = mkdtempSync(join(scratch, "traces-"));
    const trace = pathToFileURL(join(root, "test/e2e/fleet/trace-modules.ts")).href;
    const env = { ...promptEnvironment(), NODE_OPTIONS: `--import=${trace}`, TRACE_FOLDER: traces };
    await runProgram(process.execPath, [join(installed, binPath), ...words], { cwd: app, env });
    const [file = ""] = readdirSync(traces);
    const urls = readFileSync(join(traces, file), "utf8").trimEnd().split("\n");
    return urls.filter((url) => url.includes("/node_modules/flotilla/"));
  }

  test("[IN9] a verb that calls a hub loads few files, and nothing of the hub, its store or the playground", async () => {
    writeFileSync(join(app, "token"), "flt_unused\n", { mode: 0o600 });
    const listed = await loadedBy(["cluster", "list", "--hub", "http://127.0.0.1:1", "--token", "file:token"]);
    const helped = await loadedBy(["help"]);
    // From modules it were some 320; a file more or less is no harm, a hundred are.
    expect(listed.length).toBeLessThan(70);
    expect(helped.length).toBeLessThan(40);
    const heavy = /serve-hub|worker|up-fleet|backup-folder|sqlite/;
    expect([...listed, ...helped].filter((url) => heavy.test(url))).toEqual([]);
    expect(listed.some((url) => url.includes("cluster-list"))).toBe(true);
    expect(helped.some((url) => url.includes("cluster-list"))).toBe(false);
  });
});
