// SPDX-License-Identifier: Apache-2.0
// The agent as few files in place of some 600 modules: at 0 objects it takes 10 MiB less RSS (77 in place of 87: 5 less of its own, 5 less pages of
// Node's program), at 50,000 some 6 less of its own, and half the processor time to start. With the packages left outside it saves next to nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { root } from "./project.ts";

/** Where the bundle stands in the package, and the file to run. */
export const bundlePath = "agent/flotilla.js";

/** Loaded from its own package by the few agents whose log a person reads. */
const leftOut = ["pino-pretty"];

/** What became part of a bundle. */
export interface AgentBundle {
  /** Absolute paths of the modules whose code is in it. */
  readonly moduleFiles: readonly string[];
  /** What it imports from outside, Node's own modules aside. */
  readonly imports: readonly string[];
}

/**
 * Writes the program with the verbs of an agent to the folder `agent` of a package. Names and lines stay as they are, so that stack traces can be
 * read; the maps name the modules. What a verb loads late stays a file of its own.
 */
export async function bundleAgent(packageDir: string): Promise<AgentBundle> {
  const main = join(root, "src/main");
  await using bundler = await rolldown({
    input: join(main, "flotilla.ts"),
    platform: "node",
    external: [/^node:/, ...leftOut],
    plugins: [
      {
        name: "verbs-of-an-agent",
        resolveId: (id, importer) =>
          id === "./verbs.ts" && importer === join(main, "flotilla.ts")
            ? join(main, "agent/bundled-verbs.ts")
            : undefined,
      },
    ],
    onLog(level, log) {
      if (level === "warn") throw new Error(`the agent cannot be bundled: ${log.message}`);
    },
  });
  const { output } = await bundler.generate({
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
  });
  const chunks = output.filter((file) => file.type === "chunk");
  const folder = join(packageDir, "agent");
  mkdirSync(folder, { recursive: true });
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
  writeFileSync(join(folder, fileName), toAscii(code));
  if (map === null) return;
  const { version, file, sources, names, mappings } = map;
  writeFileSync(join(folder, `${fileName}.map`), JSON.stringify({ version, file, sources, names, mappings }));
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
