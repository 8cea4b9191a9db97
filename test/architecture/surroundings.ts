// SPDX-License-Identifier: Apache-2.0
// Time, chance, environment and foreign asynchrony come in through the door: these rules say where the doors are.
import { pureFolders } from "./layers.ts";
import {
  folderOf,
  isGenerated,
  isTestCode,
  type Search,
  type SourceFile,
  searchFile,
  type Violation,
} from "./source-tree.ts";

/** Composition roots: the files that read the surroundings and hand them down. */
function isRoot(path: string): boolean {
  return path.startsWith("src/main/") || path.endsWith("-worker.ts");
}

function isShipped(path: string): boolean {
  return folderOf(path) !== undefined && !isTestCode(path) && !isGenerated(path);
}

function isIn(folders: ReadonlySet<string>): (path: string) => boolean {
  return (path) => isShipped(path) && folders.has(folderOf(path) ?? "");
}

function search(files: readonly SourceFile[], isJudged: (path: string) => boolean, what: Search): Violation[] {
  return files.filter(({ path }) => isJudged(path)).flatMap((file) => searchFile(file, what));
}

/** A pattern for names that stand by themselves, not as a member of something else. */
function alone(pattern: string): RegExp {
  return new RegExp(String.raw`(?<![\w$.#])(?:globalThis\s*\.\s*)?${pattern}`, "g");
}

/** env, argv and exit belong to main/: everything below takes a checked configuration and throws. */
export function checkProcess(files: readonly SourceFile[]): Violation[] {
  return search(files, (path) => isShipped(path) && !isRoot(path), {
    rule: "process",
    message: "only src/main and the entry files of workers read env or argv, or exit",
    patterns: [
      alone(String.raw`process\s*\??\.\s*(?:env|argv|argv0|execArgv|exit|exitCode|abort|kill)\b`),
      /\{[^{}]*\}\s*=\s*process\b/g,
    ],
    isForbidden: ({ specifier }) => /^(?:node:)?process$/.test(specifier),
  });
}

const timers = alone(String.raw`set(?:Timeout|Interval|Immediate)\b`);
const timeModules = /^(?:node:)?(?:timers(?:\/promises)?|perf_hooks)$/;

/** Time and chance: only the system clock and the system randomness of base/ ask the machine. */
export function checkClockAndChance(files: readonly SourceFile[]): Violation[] {
  return search(files, isShipped, {
    rule: "clock-and-chance",
    message: "time and chance are taken from a Clock or a Random that was handed in",
    patterns: [
      /\bDate\s*\.\s*now\b/g,
      /\bnew\s+Date\b(?!\s*\(\s*[^)\s])/g,
      /(?<!\bnew\s+)(?<![\w$.#])Date\s*\(/g,
      /\bperformance\s*\.\s*(?:now|timeOrigin)\b/g,
      /\bprocess\s*\.\s*(?:hrtime|uptime)\b/g,
      timers,
      /\bAbortSignal\s*\.\s*timeout\b/g,
      /\bAtomics\s*\.\s*wait(?:Async)?\b/g,
      /\bMath\s*\.\s*random\b/g,
      /\b(?:randomBytes|randomUUID|getRandomValues|randomInt|randomFill|randomFillSync)\b/g,
    ],
    isForbidden: ({ specifier }) => timeModules.test(specifier),
  });
}

/** The machine's clock and randomness as objects are made known in main/ only; below it they are arguments. */
export function checkSystemImports(files: readonly SourceFile[]): Violation[] {
  return search(files, (path) => isShipped(path) && !isRoot(path), {
    rule: "system-import",
    message: "only src/main and the entry files of workers import the machine's clock or randomness",
    patterns: [],
    isForbidden: ({ target }) => /^src\/base\/system-(?:clock|random)\.ts$/.test(target ?? ""),
  });
}

/** Tests wait on a condition or advance a clock; they neither sleep nor draw without a seed. */
export function checkSleeping(files: readonly SourceFile[]): Violation[] {
  return search(files, isTestCode, {
    rule: "sleeping",
    message: "a test waits on a condition or a manual clock, and draws from a seed",
    patterns: [alone(String.raw`set(?:Timeout|Interval)\b`), /\bMath\s*\.\s*random\b/g],
    isForbidden: ({ specifier }) => timeModules.test(specifier),
  });
}

/**
 * The workspace of the hub's own rows is chosen where a store is opened; everything above asks its store
 * (`Store.workspace`).
 */
export function checkWorkspace(files: readonly SourceFile[]): Violation[] {
  return search(files, (path) => isShipped(path) && !path.startsWith("src/store/"), {
    rule: "workspace",
    message: "the workspace of a row is that of its store, store.workspace",
    patterns: [/\brootWorkspace\b/g],
  });
}

/** Folders that the simulated world runs as they are: there everything asynchronous is a port. */
const simulatedFolders: ReadonlySet<string> = new Set(["hub", "agent", "kube", "session"]);
const foreignModules =
  /^(?:node:)?(?:net|tls|http|https|http2|dgram|dns|fs|timers|worker_threads|child_process|cluster|stream|readline)(?:\/|$)/;

/** What stands behind a port: the implementations that the simulated world replaces. */
const behindPorts = ["src/kube/connection/", "src/kube/credentials/", "src/kube/connect-cluster.ts"];

/** Sockets, files, threads and processes in the folders that must run the same under virtual time. */
export function checkAsynchrony(files: readonly SourceFile[]): Violation[] {
  const isSimulated = (path: string): boolean =>
    isIn(simulatedFolders)(path) && !behindPorts.some((place) => path.startsWith(place));
  return search(files, isSimulated, {
    rule: "asynchrony",
    message: "asynchrony here goes through a port, so that the simulated world can stand in for it",
    patterns: [alone(String.raw`(?:fetch|WebSocket|EventSource|MessageChannel|BroadcastChannel|Worker)\s*\(`)],
    isForbidden: ({ specifier }) => foreignModules.test(specifier),
  });
}

/** Pure folders reach for nothing of the machine by its global name either. */
export function checkPurity(files: readonly SourceFile[]): Violation[] {
  return search(files, isIn(pureFolders), {
    rule: "purity",
    message: "a pure folder uses nothing of the machine",
    patterns: [alone(String.raw`(?:process|Buffer|crypto|fetch|console|WebAssembly)\s*[.(]`)],
  });
}
