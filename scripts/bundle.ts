// SPDX-License-Identifier: Apache-2.0
// Bundles modules into few files with rolldown: names and lines stay as they are, so that stack traces can be read.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { root } from "./project.ts";

/** What is bundled, and to where. */
export interface BundleOptions {
  /** Entry files by the name that each has in `folder`, without `.js`. */
  readonly entries: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Packages that are left outside, to be found in node_modules. */
  readonly outside?: readonly string[];
  readonly plugins?: readonly Plugin[];
}

/** What became part of a bundle. */
export interface Bundle {
  /** Absolute paths of the modules whose code is in it. */
  readonly moduleFiles: readonly string[];
  /** What it imports from outside, Node's own modules aside. */
  readonly imports: readonly string[];
}

/**
 * Writes the entries and what they import to a folder, as ES modules with maps. What is imported late stays a file of its own, and code that
 * several files need is in one that they share. Throws where rolldown warns: a warning is code that would fail when it runs.
 */
export async function bundle({ entries, folder, outside = [], plugins = [] }: BundleOptions): Promise<Bundle> {
  await using bundler = await rolldown({
    cwd: root, // paths in comments and maps are relative to it, so that the bytes are the same wherever the build is begun
    input: { ...entries },
    platform: "node",
    external: [/^node:/, ...outside],
    plugins: [...plugins],
    onLog(level, log) {
      if (level === "warn") throw new Error(`it cannot be bundled: ${log.message}`);
    },
  });
  const { output } = await bundler.generate({
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  const chunks = output.filter((file) => file.type === "chunk");
  for (const chunk of chunks) writeChunk(folder, chunk);
  const names = new Set(chunks.map(({ fileName }) => fileName));
  const imports = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
  return {
    moduleFiles: [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds))].filter((id) => id.startsWith("/")),
    imports: [...new Set(imports)].filter((name) => !names.has(name) && !name.startsWith("node:")),
  };
}

/** The texts of modules are left out of the map: it is their names and lines that a trace needs. A file that only passes names on has no map. */
function writeChunk(folder: string, { fileName, code, map }: OutputChunk): void {
  const path = join(folder, fileName);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, toAscii(code));
  if (map === null) return;
  const { version, file, sources, names, mappings } = map;
  writeFileSync(`${path}.map`, JSON.stringify({ version, file, sources, names, mappings }));
}

/**
 * The same program in ASCII. V8 keeps the text of a program for as long as it runs, in two bytes for each character if one of them needs two: 2 MiB
 * more for a dozen dots. An escape means the same as the character in a text, a pattern and a comment; only after a backslash it would not.
 */
function toAscii(code: string): string {
  return code.replace(/\\?[^\0-\x7f]/g, (found) => {
    if (found.length > 1) throw new Error(`${JSON.stringify(found)} cannot be written in ASCII`);
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
