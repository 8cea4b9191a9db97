// SPDX-License-Identifier: Apache-2.0
// Bundles modules into few files with rolldown. Names and lines are kept, so that stack traces stay readable.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { root } from "./project.ts";

/** Input and output of a bundle. */
export interface BundleOptions {
  /** Entry files by their name in `folder`, without `.js`. */
  readonly entries: Readonly<Record<string, string>>;
  readonly folder: string;
  /** External packages, loaded from node_modules. */
  readonly outside?: readonly string[];
  readonly plugins?: readonly Plugin[];
}

/** The contents of a bundle. */
export interface Bundle {
  /** Absolute paths of the modules whose code is in it. */
  readonly moduleFiles: readonly string[];
  /** External imports, without Node's own modules. */
  readonly imports: readonly string[];
}

/**
 * Writes the entries and their imports to a folder, as ES modules with source maps. Dynamic imports stay separate
 * files, and shared code is in shared files. Throws on a rolldown warning, because it means code that would fail at run
 * time.
 */
export async function bundle({ entries, folder, outside = [], plugins = [] }: BundleOptions): Promise<Bundle> {
  await using bundler = await rolldown({
    cwd: root, // base of paths in comments and maps; makes the bytes independent of the working directory
    input: { ...entries },
    platform: "node",
    external: [/^node:/, ...outside],
    plugins: [...plugins],
    onLog(level, log) {
      if (level === "warn") throw new Error(`bundling failed: ${log.message}`);
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

/** The map has no source texts: a stack trace needs only names and lines. A file that only re-exports has no map. */
function writeChunk(folder: string, { fileName, code, map }: OutputChunk): void {
  const path = join(folder, fileName);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, toAscii(code));
  if (map === null) return;
  const { version, file, sources, names, mappings } = map;
  writeFileSync(`${path}.map`, JSON.stringify({ version, file, sources, names, mappings }));
}

/**
 * Converts the program to ASCII. V8 keeps the program's text while it runs, with two bytes per character if any
 * character needs two: 2 MiB more for a few characters. An escape is equivalent in a string, a regular expression and a
 * comment, except after a backslash.
 */
function toAscii(code: string): string {
  return code.replace(/\\?[^\0-\x7f]/g, (found) => {
    if (found.length > 1) throw new Error(`${JSON.stringify(found)} cannot be written in ASCII`);
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
