// SPDX-License-Identifier: Apache-2.0
// Plain JavaScript for any Node >= 18: finds or fetches the Node that Flotilla runs on, installs the packages of the
// lock file, then runs the given script with it. Prints one line for each step, and nothing if everything is present.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import * as module from "node:module";
import { constants, homedir, tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundledProgram, removeOldBundles } from "./bundled-program.mjs";
import { filesOfNode, pinnedNode } from "./pinned-node.mjs";
import { runStep, SetupError, say } from "./setup-step.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

function fail(line) {
  throw new SetupError(line);
}

/**
 * True if the Node that runs this file is supported and has the required features. With FLOTILLA_PINNED_NODE=1 only the
 * pinned version is accepted, because other versions compress to other bytes.
 */
function isOwnNodeUsable() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (process.env.FLOTILLA_PINNED_NODE === "1") return process.versions.node === pinnedNode.version;
  const supported = (major === 24 && minor >= 15) || major >= 26;
  if (!supported || process.features.typescript !== "strip") return false;
  const builtin = process.getBuiltinModule;
  return builtin("node:sqlite") !== undefined && typeof builtin("node:zlib").zstdCompressSync === "function";
}

/** Runs the npm that started this process, else the one on PATH; with our own Node if npm's script is known. */
async function npm(line, node, args, options) {
  const script = process.env.npm_execpath;
  const isScript = script !== undefined && /\.[cm]?js$/.test(script);
  const [command, first] = isScript ? [node, [script]] : ["npm", []];
  const env = environment(node);
  // An outer `npm test` passes its own flags down as variables. These would direct the inner call to another folder or
  // set of packages. Other variables (registry, proxy, cache) are the machine's and stay.
  for (const flag of ["prefix", "global", "workspace", "workspaces", "omit", "include", "dry_run"]) {
    delete env[`npm_config_${flag}`];
  }
  const result = await runStep(line, [command, [...first, ...args], { env, ...options }]);
  if (result.error) fail(`npm was not found (${result.error.message}); install npm or put it on PATH.`);
  return result;
}

function environment(node) {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}` };
}

/** The key in the table of pinned Nodes. Those packages need glibc, which some Linux systems (Alpine) lack. */
function platformName() {
  const name = `${process.platform}-${process.arch}`;
  const isMusl = process.platform === "linux" && process.report?.getReport().header.glibcVersionRuntime === undefined;
  return isMusl ? `${name}-musl` : name;
}

async function fetchNode() {
  const target = join(root, ".node", pinnedNode.version, "bin", "node");
  if (existsSync(target)) return target;
  const platform = platformName();
  const entry = pinnedNode.platforms[platform];
  if (entry === undefined) {
    fail(
      `Node ${process.versions.node} is not supported and no prebuilt one is known for ${platform}; install Node 26 and run this again.`,
    );
  }
  const scratch = mkdtempSync(join(tmpdir(), "flotilla-node-"));
  try {
    const packed = await npm(
      `fetching Node ${pinnedNode.version} (this machine's is ${process.versions.node})`,
      process.execPath,
      ["pack", `${entry.name}@${pinnedNode.version}`, "--silent", "--pack-destination", scratch],
      {
        cwd: scratch,
      },
    );
    const archive = readdirSync(scratch).find((name) => name.endsWith(".tgz"));
    if (packed.status !== 0 || archive === undefined) {
      fail(
        `npm could not fetch ${entry.name}@${pinnedNode.version}: ${packed.stderr.trim().split("\n").pop() || "no reason given"}.`,
      );
    }
    const bytes = readFileSync(join(scratch, archive));
    const binary = takeNode(bytes, entry);
    mkdirSync(dirname(target), { recursive: true });
    const partial = `${target}.${process.pid}`;
    writeFileSync(partial, binary, { mode: 0o755 });
    renameSync(partial, target); // atomic, in case two set-ups run at once
    return target;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function takeNode(archive, entry) {
  try {
    return filesOfNode(archive, entry, ["bin/node"])[0];
  } catch (error) {
    fail(error.message);
  }
}

/** Runs `npm ci` if node_modules was not installed from the current lock file. */
async function installPackages(node) {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const stamp = join(root, "node_modules", ".flotilla-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  // With NODE_ENV=production npm would skip packages that `npm test` needs, and the stamp would hide that. No package
  // needs an install script, so none is run.
  const args = ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = await npm("installing packages (npm ci)", node, args, { cwd: root });
  if (result.status !== 0) {
    fail(`npm ci failed: ${(result.stderr || result.stdout).trim().split("\n").slice(0, 5).join(" ")}`);
  }
  writeFileSync(stamp, lock);
}

/** Builds ui/ if it changed, in a separate script, because it needs the packages just installed. */
function buildPage(node) {
  const built = spawnSync(node, [join(root, "scripts/build-page.ts")], { stdio: ["ignore", "ignore", "inherit"] });
  if (built.status !== 0) fail("the page could not be built; see the messages above.");
}

/** The entry script of the program, which runs as a bundle. */
const programScript = "src/main/flotilla.ts";

/**
 * The program's bundle for the current sources; built if missing. Undefined if it cannot be built; running the sources
 * then reports the error.
 */
async function findProgram(node) {
  const { file, folder, isThere } = bundledProgram(root);
  if (isThere && existsSync(join(root, "ui/dist"))) return file;
  buildPage(node);
  if (isThere) return file;
  removeOldBundles(root);
  await runStep("bundling the program", [node, [join(root, "scripts/build-program.ts"), folder]]);
  return existsSync(file) ? file : undefined;
}

/** Runs a file in this process, as if Node had been started with it. */
function runHere(file, args) {
  process.argv = [process.execPath, file, ...args];
  // In the user's own cache, which no other user can write to. Not for an agent: it would keep the compiled code in
  // memory.
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "flotilla", "compiled");
  if (args[0] !== "agent") module.enableCompileCache?.(cache);
  return import(pathToFileURL(file).href);
}

async function main() {
  const [script, ...args] = process.argv.slice(2);
  if (script === undefined) fail("usage: node scripts/bootstrap.mjs SCRIPT [ARGUMENT ...]");
  const node = isOwnNodeUsable() ? process.execPath : await fetchNode();
  await installPackages(node);
  const bundled = script === programScript ? await findProgram(node) : undefined;
  if (script !== programScript) buildPage(node);
  if (bundled !== undefined && node === process.execPath) {
    await runHere(bundled, args);
    return;
  }

  // A signal sent to this process only is forwarded, even right after the child starts. Ctrl-C reaches the child twice,
  // which counts once. The child decides when to end.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // Relative paths in arguments refer to the caller's folder, so the working directory is not changed.
  const child = spawn(node, [bundled ?? resolve(root, script), ...args], { stdio: "inherit", env: environment(node) });
  child.on("error", (error) => {
    say(`could not start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? "SIGTERM"] ?? 15)));
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = error.exitCode;
}
