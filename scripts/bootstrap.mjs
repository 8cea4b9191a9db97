// SPDX-License-Identifier: Apache-2.0
// Plain JavaScript for any Node >= 18: finds or fetches the Node that Flotilla runs on, installs the packages the
// lock file names, then runs the given script with it. Says one line for each thing it does, nothing when all is there.
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
 * True for the Node running this file if it is a line we support and has what the code stands on. With FLOTILLA_PINNED_NODE=1 only the pinned one
 * will do: what is compressed with another has other bytes.
 */
function ownNodeWillDo() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (process.env.FLOTILLA_PINNED_NODE === "1") return process.versions.node === pinnedNode.version;
  const supported = (major === 24 && minor >= 15) || major >= 26;
  if (!supported || process.features.typescript !== "strip") return false;
  const builtin = process.getBuiltinModule;
  return builtin("node:sqlite") !== undefined && typeof builtin("node:zlib").zstdCompressSync === "function";
}

/** The npm that started us, else the one on PATH; run by our own Node where its script is known. */
async function npm(line, node, args, options) {
  const script = process.env.npm_execpath;
  const isScript = script !== undefined && /\.[cm]?js$/.test(script);
  const [command, first] = isScript ? [node, [script]] : ["npm", []];
  const env = environment(node);
  // An outer `npm test` hands its own flags down as variables; these would steer the inner call to another folder or
  // another set of packages. The rest (registry, proxy, cache) is the machine's and stays.
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

/** The key of the table of pinned Nodes; the packages there need glibc, which a Linux without it (Alpine) does not have. */
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
      `Node ${process.versions.node} does not do here and no prebuilt one is known for ${platform}; install Node 26 and run this again.`,
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
    renameSync(partial, target); // two set-ups at once each bring a whole file
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

/** Runs `npm ci` when the lock file is not the one that node_modules was installed from. */
async function installPackages(node) {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const stamp = join(root, "node_modules", ".flotilla-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  // With NODE_ENV=production npm would leave out what `npm test` needs, and the stamp would hide it from then on. No package
  // of ours needs its install script, so none gets to run one.
  const args = ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = await npm("installing packages (npm ci)", node, args, { cwd: root });
  if (result.status !== 0) {
    fail(`npm ci failed: ${(result.stderr || result.stdout).trim().split("\n").slice(0, 5).join(" ")}`);
  }
  writeFileSync(stamp, lock);
}

/** Builds ui/ where it changed; a script of its own, since only the packages just installed can do it. */
function buildPage(node) {
  const built = spawnSync(node, [join(root, "scripts/build-page.ts")], { stdio: ["ignore", "ignore", "inherit"] });
  if (built.status !== 0) fail("the page could not be built; what stands above says why.");
}

/** The script of the program itself, which runs bundled. */
const programScript = "src/main/flotilla.ts";

/** The bundle of the program for the sources as they are, built where it is not there; undefined where it cannot be built: then the sources themselves say why. */
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
  // In the user's own cache, where no other user can write. An agent goes without: it would keep the compiled code in memory.
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "flotilla", "compiled");
  if (args[0] !== "agent") module.enableCompileCache?.(cache);
  return import(pathToFileURL(file).href);
}

async function main() {
  const [script, ...args] = process.argv.slice(2);
  if (script === undefined) fail("usage: node scripts/bootstrap.mjs SCRIPT [ARGUMENT ...]");
  const node = ownNodeWillDo() ? process.execPath : await fetchNode();
  await installPackages(node);
  const bundled = script === programScript ? await findProgram(node) : undefined;
  if (script !== programScript) buildPage(node);
  if (bundled !== undefined && node === process.execPath) {
    await runHere(bundled, args);
    return;
  }

  // A signal sent to us alone is passed on, also one that comes as soon as the child is there; Ctrl-C reaches the child twice, which it takes as once. The child
  // decides when to end.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A relative path in an argument means the caller's folder, so the working directory stays as it is.
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
