// SPDX-License-Identifier: Apache-2.0
// Which folder may import which, and from which packages. The table is the one of ARCHITECTURE.md.
import { isBuiltin } from "node:module";
import { type Import, packageOf } from "./imports.ts";
import { folderOf, isTestCode, lineAt, type SourceFile, type Violation } from "./source-tree.ts";

/** From the top down. A folder imports from lower rows, never from higher ones. */
const layers: readonly { readonly name: string; readonly folders: readonly string[] }[] = [
  { name: "main", folders: ["main"] },
  {
    name: "components",
    folders: ["hub", "agent", "delivery", "workspace", "syncer", "sentinel", "playground", "cli"],
  },
  { name: "apiserver", folders: ["apiserver"] },
  { name: "adapters", folders: ["kube", "store", "rpc", "telemetry"] },
  { name: "pure", folders: ["session", "health", "rbac", "index", "kinds", "controllers"] },
  { name: "model", folders: ["model"] },
  { name: "ground", folders: ["base", "gen"] },
];

/** Rows whose folders know nothing of each other: they meet in proto/, in ports and in main/. */
const strangers = new Set(["components"]);

/** Folders that compute and touch nothing: no Node module, and of packages only these. */
export const pureFolders: ReadonlySet<string> = new Set([
  "session",
  "health",
  "rbac",
  "index",
  "kinds",
  "controllers",
  "model",
]);
const purePackages: ReadonlyMap<string, "whole" | "types"> = new Map([
  ["@bufbuild/protobuf", "whole"],
  // The hash of a row is part of the contract, and computing it touches nothing.
  ["xxhash-wasm", "whole"],
]);

/** What tests may import besides runtime packages. */
const testPackages = new Set(["vitest", "fast-check"]);

function rowOf(folder: string): number {
  return layers.findIndex(({ folders }) => folders.includes(folder));
}

function violation(file: SourceFile, found: Import, rule: string, message: string): Violation {
  return { rule, path: file.path, line: lineAt(file.text, found.at), message };
}

/** Imports of src/ that point up, sideways between strangers, or out of src/. */
export function checkDirections(files: readonly SourceFile[]): Violation[] {
  const found: Violation[] = [];
  for (const file of files) {
    const from = folderOf(file.path);
    if (from === undefined) continue;
    if (rowOf(from) === -1) {
      found.push({ rule: "direction", path: file.path, line: 1, message: `src/${from} has no place in the layers` });
      continue;
    }
    for (const use of file.imports) {
      if (use.target === undefined) continue;
      const message = judgeDirection(from, use.target, isTestCode(file.path));
      if (message !== undefined) found.push(violation(file, use, "direction", `${message} (${use.specifier})`));
    }
  }
  return found;
}

function judgeDirection(from: string, target: string, inTest: boolean): string | undefined {
  const to = folderOf(target);
  if (to === undefined) {
    const isShipped = target.startsWith("sql/") || target === "package.json";
    return inTest || isShipped ? undefined : `src/${from} imports from outside src/, which the package does not hold`;
  }
  if (!inTest && isTestCode(target)) return "shipped code must not import test code";
  if (to === from) return undefined;
  const [fromRow, toRow] = [rowOf(from), rowOf(to)];
  if (toRow < fromRow) return `src/${from} is below src/${to} and must not import it`;
  if (toRow === fromRow && strangers.has(layers[fromRow]?.name ?? "")) {
    return `src/${from} and src/${to} are components and must not know each other`;
  }
  return undefined;
}

/** Node modules and packages where they have no place: in pure folders, or not among the runtime dependencies. */
export function checkPackages(files: readonly SourceFile[], dependencies: ReadonlySet<string>): Violation[] {
  const found: Violation[] = [];
  for (const file of files) {
    const folder = folderOf(file.path);
    if (folder === undefined) continue;
    for (const use of file.imports) {
      if (use.kind === "computed") {
        found.push(violation(file, use, "computed-import", "an import whose module cannot be read off the text"));
      } else if (use.target === undefined && use.kind !== "url") {
        const message = judgePackage(folder, use, dependencies, isTestCode(file.path));
        if (message !== undefined) found.push(violation(file, use, "package", `${message} (${use.specifier})`));
      }
    }
  }
  return found;
}

function judgePackage(
  folder: string,
  use: Import,
  dependencies: ReadonlySet<string>,
  inTest: boolean,
): string | undefined {
  const isNode = isBuiltin(use.specifier);
  const name = packageOf(use.specifier);
  if (inTest) return isNode || dependencies.has(name) || testPackages.has(name) ? undefined : "not a package of tests";
  if (isNode && !use.specifier.startsWith("node:")) return "a Node module is imported with its node: prefix";
  if (!isNode && !dependencies.has(name)) return "not a runtime dependency of package.json";
  if (!pureFolders.has(folder)) return undefined;
  if (isNode) return `src/${folder} is pure and imports no Node module`;
  const allowed = purePackages.get(name);
  if (allowed === undefined) return `src/${folder} is pure and may not import this package`;
  return allowed === "types" && use.kind !== "type" ? `src/${folder} may import only types of this package` : undefined;
}
