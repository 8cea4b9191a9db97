// SPDX-License-Identifier: Apache-2.0
import { folderOf, isTestCode, type SourceFile, type Violation } from "./source-tree.ts";

/** Who imports whom, by name. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** The files of src/; type imports count, since a cycle of types is two files that are one idea. Tests are left out. */
function fileGraph(files: readonly SourceFile[]): ImportGraph {
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    if (folderOf(file.path) === undefined || isTestCode(file.path)) continue;
    const targets = file.imports.filter(({ kind }) => kind === "static" || kind === "type");
    graph.set(file.path, new Set(targets.flatMap(({ target }) => (target === undefined ? [] : [target]))));
  }
  return graph;
}

/** The folders of src/, joined where any file of one imports any file of the other. */
function folderGraph(files: readonly SourceFile[]): ImportGraph {
  const graph = new Map<string, Set<string>>();
  for (const [path, targets] of fileGraph(files)) {
    const from = folderOf(path) ?? "";
    const others = [...targets].flatMap((target) => folderOf(target) ?? []).filter((to) => to !== from);
    graph.set(from, new Set([...(graph.get(from) ?? []), ...others]));
  }
  return graph;
}

/** Each cycle once, as the path around it, beginning at its alphabetically first member. */
function findCycles(graph: ImportGraph): string[][] {
  const cycles: string[][] = [];
  const finished = new Set<string>();
  const walk = (node: string, path: readonly string[]): void => {
    const start = path.indexOf(node);
    if (start !== -1) {
      cycles.push(rotate(path.slice(start)));
      return;
    }
    if (finished.has(node)) return;
    for (const next of graph.get(node) ?? []) walk(next, [...path, node]);
    finished.add(node);
  };
  for (const node of graph.keys()) walk(node, []);
  return cycles;
}

function rotate(cycle: readonly string[]): string[] {
  const first = cycle.indexOf([...cycle].sort()[0] ?? "");
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

/** No file, and no folder, imports itself through others. */
export function checkCycles(files: readonly SourceFile[]): Violation[] {
  const show = (rule: string, cycles: string[][]): Violation[] =>
    cycles.map((cycle) => ({
      rule,
      path: cycle[0] ?? "",
      line: 1,
      message: [...cycle, cycle[0]].join(" -> "),
    }));
  return [...show("cycle", findCycles(fileGraph(files))), ...show("folder-cycle", findCycles(folderGraph(files)))];
}
