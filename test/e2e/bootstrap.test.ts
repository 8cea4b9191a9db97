// SPDX-License-Identifier: Apache-2.0
// Sets up a small copy of the repository with a stand-in for npm, so nothing is fetched and nothing of this clone
// changes.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { type ProgramResult, promptEnvironment, runProgram } from "./run-program.ts";

let scratch = "";
let clone = "";
let bin = "";

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "flotilla-bootstrap-"));
  clone = join(scratch, "clone");
  bin = join(scratch, "bin");
  for (const folder of [join(clone, "scripts"), bin, join(scratch, "tmp"), join(scratch, "elsewhere")]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const name of ["bootstrap.mjs", "bundled-program.mjs", "pinned-node.mjs", "setup-step.mjs"])
    copyFileSync(join(root, "scripts", name), join(clone, "scripts", name));
  writeFileSync(join(clone, "scripts/build-page.ts"), "");
  writeFileSync(join(clone, "package-lock.json"), '{"lockfileVersion":3}');
  writeFileSync(join(clone, "hello.mjs"), 'console.log("hello", process.cwd(), ...process.argv.slice(2));');
  writeNpm('mkdir -p "$CLONE/node_modules"');
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** Puts a stand-in for npm on the PATH: it notes its arguments and does what `body` says. */
function writeNpm(body: string): void {
  writeFileSync(join(bin, "npm"), `#!/bin/sh\necho "$@" >> "$SCRATCH/npm-calls"\n${body}\n`, { mode: 0o755 });
}

function npmCalls(): string[] {
  const file = join(scratch, "npm-calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

interface Start {
  /** Flags of the Node that runs the bootstrap. */
  readonly flags?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

function bootstrap({ flags = [], args = ["hello.mjs"], env = {} }: Start = {}): Promise<ProgramResult> {
  const own = { SCRATCH: scratch, CLONE: clone, TMPDIR: join(scratch, "tmp") };
  return runProgram(process.execPath, [...flags, join(clone, "scripts/bootstrap.mjs"), ...args], {
    cwd: join(scratch, "elsewhere"),
    env: { ...promptEnvironment([bin]), ...own, ...env },
  });
}

/** Makes the Node of this test one that does not do, as an old one would not. */
const asOldNode = ["--no-strip-types"];

/** A Node of another platform, as far as the bootstrap can see: `report` is what process.report gives there. */
function asPlatform(platform: string, report = "{ header: {} }"): string {
  const code = `
    Object.defineProperty(process, "platform", { value: "${platform}" });
    Object.defineProperty(process.report, "getReport", { value: () => (${report}) });`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

describe("installing packages", () => {
  test("says one line the first time, nothing the second, and runs the script in the caller's folder", async () => {
    const first = await bootstrap({ args: ["hello.mjs", "a b"] });
    expect(first.stderr).toBe("flotilla: installing packages (npm ci)\n");
    expect(first.stdout).toBe(`hello ${join(scratch, "elsewhere")} a b\n`);
    expect(first.code).toBe(0);
    const second = await bootstrap();
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(npmCalls()).toHaveLength(1);
  });

  test("installs again when the lock file changed", async () => {
    await bootstrap();
    writeFileSync(join(clone, "package-lock.json"), '{"lockfileVersion":3,"packages":{}}');
    expect((await bootstrap()).stderr).toContain("installing packages");
    expect(npmCalls()).toHaveLength(2);
  });

  test("a failed install is one line with npm's reason, runs nothing, and is tried again", async () => {
    writeNpm('echo "npm error the registry is away" >&2; exit 1');
    const failed = await bootstrap();
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr.trim().split("\n")).toEqual([
      "flotilla: installing packages (npm ci)",
      "flotilla: npm ci failed: npm error the registry is away",
    ]);
    writeNpm('mkdir -p "$CLONE/node_modules"');
    expect((await bootstrap()).code).toBe(0);
  });

  test("flags of an outer npm do not reach the inner one, the registry does", async () => {
    writeNpm('mkdir -p "$CLONE/node_modules"; env | grep -i "^npm_config_" >> "$SCRATCH/npm-calls"');
    const env = { npm_config_prefix: "/elsewhere", npm_config_omit: "dev", npm_config_registry: "http://localhost:1" };
    await bootstrap({ env });
    expect(npmCalls()[0]).toContain("ci --include=dev");
    expect(npmCalls()).toContain("npm_config_registry=http://localhost:1");
    expect(npmCalls().filter((line) => /^npm_config_(?:prefix|omit)=/.test(line))).toEqual([]);
  });

  test("[CL18] a signal stops npm, then the set-up with the code a shell would give, and the next run installs again", async () => {
    writeNpm("kill -TERM $PPID; exec tail -f /dev/null");
    const stopped = await bootstrap();
    expect(stopped).toMatchObject({ code: 128 + 15, stdout: "" });
    expect(stopped.stderr).toBe("flotilla: installing packages (npm ci)\nflotilla: stopped\n");
    writeNpm('mkdir -p "$CLONE/node_modules"');
    expect((await bootstrap()).stderr).toContain("installing packages");
  });

  test("no npm at all is one line", async () => {
    const result = await bootstrap({ env: { PATH: join(scratch, "empty") } });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^flotilla: npm was not found .*; install npm or put it on PATH\.$/m);
  });
});

describe("the script it runs", () => {
  test("its exit code becomes ours", async () => {
    writeFileSync(join(clone, "fail.mjs"), "process.exit(7);");
    expect((await bootstrap({ args: ["fail.mjs"] })).code).toBe(7);
  });

  test("gets the signal that was sent to the bootstrap, and decides how to end", async () => {
    const script = [
      'process.on("SIGTERM", () => process.exit(5));',
      'process.kill(process.ppid, "SIGTERM");',
      "setInterval(() => undefined, 1000);",
    ];
    writeFileSync(join(clone, "wait.mjs"), script.join("\n"));
    expect((await bootstrap({ args: ["wait.mjs"] })).code).toBe(5);
  });

  test("ended by a signal of its own, it gives the code a shell would", async () => {
    writeFileSync(join(clone, "die.mjs"), 'process.kill(process.pid, "SIGKILL");\nsetInterval(() => undefined, 1000);');
    expect((await bootstrap({ args: ["die.mjs"] })).code).toBe(128 + 9);
  });

  test("no script named is a usage line", async () => {
    const result = await bootstrap({ args: [] });
    expect(result).toMatchObject({
      code: 1,
      stderr: "flotilla: usage: node scripts/bootstrap.mjs SCRIPT [ARGUMENT ...]\n",
    });
  });
});

describe("[IN9] the program of a clone", () => {
  const source = 'console.log("from source", ...process.argv.slice(2));';
  const script = "src/main/flotilla.ts";

  /** Stands for the bundler: what it writes says what the source said when it was bundled. */
  const bundler = `
    import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
    const folder = process.argv[2] + "/program";
    const text = readFileSync(new URL("../src/main/flotilla.ts", import.meta.url), "utf8");
    if (text.includes("broken")) process.exit(1);
    mkdirSync(folder, { recursive: true });
    writeFileSync(folder + "/flotilla.js", text.replace("from source", "bundled"));`;

  beforeEach(() => {
    mkdirSync(join(clone, "src/main"), { recursive: true });
    mkdirSync(join(clone, "ui/dist"), { recursive: true });
    writeFileSync(join(clone, "scripts/build-program.ts"), bundler);
    writeFileSync(join(clone, script), source);
  });

  const run = () => bootstrap({ args: [script, "a b"], env: { XDG_CACHE_HOME: join(scratch, "cache") } });

  test("is bundled once for each state of its sources, and says so", async () => {
    const first = await run();
    expect(first.stdout).toBe("bundled a b\n");
    expect(first.stderr).toContain("flotilla: bundling the program\n");
    expect(await run()).toEqual({ code: 0, stdout: "bundled a b\n", stderr: "" });
    writeFileSync(join(clone, script), `${source}\nconsole.log("changed");`);
    const changed = await run();
    expect(changed).toMatchObject({ stdout: "bundled a b\nchanged\n", stderr: "flotilla: bundling the program\n" });
  });

  test("runs from source where it cannot be bundled, so that the error is of the source itself", async () => {
    writeFileSync(join(clone, script), `${source} // broken`);
    expect((await run()).stdout).toBe("from source a b\n");
  });
});

describe("fetching Node", () => {
  /** A package as npm packs it, with one file of the given mode and text. */
  function archiveOf(name: string, text: string): Buffer {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${text.length.toString(8).padStart(11, "0")} `, 124);
    const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
    body.write(text);
    return gzipSync(Buffer.concat([header, body, Buffer.alloc(1024)]));
  }

  /** npm answers `pack` with this archive, and `ci` with an empty install. */
  function serveArchive(archive: Buffer): void {
    writeFileSync(join(scratch, "archive"), archive);
    writeNpm(
      'case "$1" in\npack) for last; do :; done; cp "$SCRATCH/archive" "$last/node.tgz" ;;\n*) mkdir -p "$CLONE/node_modules" ;;\nesac',
    );
  }

  /** Makes the copy under test expect this archive, on every platform. */
  function pin(archive: Buffer): void {
    const path = join(clone, "scripts/pinned-node.mjs");
    const hash = createHash("sha512").update(archive).digest("base64");
    const text = readFileSync(path, "utf8").replaceAll(/integrity: "sha512-[^"]+"/g, `integrity: "sha512-${hash}"`);
    writeFileSync(path, text);
  }

  const standIn = '#!/bin/sh\necho "stand-in $2"\n';

  test("a Node that does not do is replaced by the pinned one, which is used silently from then on", async () => {
    const archive = archiveOf("package/bin/node", standIn);
    serveArchive(archive);
    pin(archive);
    const first = await bootstrap({ flags: asOldNode, args: ["hello.mjs", "friend"] });
    expect(first.stderr.split("\n")).toEqual([
      expect.stringMatching(/^flotilla: fetching Node \d+\.\d+\.\d+ \(this machine's is \d+\.\d+\.\d+\)$/),
      "flotilla: installing packages (npm ci)",
      "",
    ]);
    expect(first).toMatchObject({ code: 0, stdout: "stand-in friend\n" });
    expect(await bootstrap({ flags: asOldNode, args: ["hello.mjs", "again"] })).toEqual({
      code: 0,
      stdout: "stand-in again\n",
      stderr: "",
    });
    expect(readdirSync(join(scratch, "tmp"))).toEqual([]);
  });

  test("an archive with another hash is refused, and nothing of it stays", async () => {
    serveArchive(archiveOf("package/bin/node", standIn));
    const result = await bootstrap({ flags: asOldNode });
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toMatch(/does not have the pinned hash \(sha512-.*\); nothing was installed\.$/m);
    expect(existsSync(join(clone, ".node"))).toBe(false);
    expect(readdirSync(join(scratch, "tmp"))).toEqual([]);
  });

  test("an archive without the program in it is refused", async () => {
    const archive = archiveOf("package/README.md", "nothing here");
    serveArchive(archive);
    pin(archive);
    const result = await bootstrap({ flags: asOldNode });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("does not contain bin/node");
  });

  test("a registry that does not answer is one line with npm's reason", async () => {
    writeNpm('echo "npm error network is unreachable" >&2; exit 1');
    const result = await bootstrap({ flags: asOldNode });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^flotilla: npm could not fetch .*: npm error network is unreachable\.$/m);
    expect(readdirSync(join(scratch, "tmp"))).toEqual([]);
  });

  test("a platform without a prebuilt Node is named, with what to do", async () => {
    const result = await bootstrap({ flags: [...asOldNode, asPlatform("plan9")] });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/no prebuilt one is known for plan9-\w+; install Node 26 and run this again\.$/m);
    expect(npmCalls()).toEqual([]);
  });

  test("a Linux without glibc is told apart, since the prebuilt Node would not start there", async () => {
    const result = await bootstrap({ flags: [...asOldNode, asPlatform("linux")] });
    expect(result.stderr).toMatch(
      /no prebuilt one is known for linux-\w+-musl; install Node 26 and run this again\.$/m,
    );
    expect(npmCalls()).toEqual([]);
  });
});
