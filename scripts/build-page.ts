// SPDX-License-Identifier: Apache-2.0
// Builds ui/ into ui/dist if it is missing or its sources changed. Each compressible file is stored with its brotli and
// gzip form, so that the hub compresses nothing. The set-up of every command runs this; it prints one line when it
// builds.
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";
import { root, runTool } from "./project.ts";

const uiFolder = join(root, "ui");
const target = join(uiFolder, "dist");
const stampFile = join(target, ".stamp");

/** The sources of the built page. */
const sources = ["ui/src", "ui/public", "ui/index.html", "ui/vite.config.ts", "src/gen/flotilla", "package-lock.json"];

/** Fonts are already compressed. */
const compressible = /\.(js|css|html|svg|json)$/;

function listFiles(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** One hash over the names and contents of all sources. */
function hashSources(): string {
  const hash = createHash("sha256");
  for (const source of sources) {
    const path = join(root, source);
    for (const file of source.includes(".") ? [path] : listFiles(path)) {
      hash
        .update(`${relative(root, file)}\0`)
        .update(readFileSync(file))
        .update("\0");
    }
  }
  return hash.digest("hex");
}

function compress(file: string): void {
  const bytes = readFileSync(file);
  const params = { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: zlib.Z_BEST_COMPRESSION }));
}

async function main(): Promise<number> {
  const hash = hashSources();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === hash) return 0;
  console.error("flotilla: building the page");
  // Built in a temporary folder and renamed, so that a running hub or a second build never sees an incomplete page.
  const scratch = mkdtempSync(join(uiFolder, "dist."));
  try {
    const built = await runTool("vite", ["build", uiFolder, "--outDir", scratch, "--logLevel", "warn"]);
    if (built.code !== 0) {
      console.error(built.output.trim());
      return 1;
    }
    for (const file of listFiles(scratch)) if (compressible.test(file)) compress(file);
    writeFileSync(join(scratch, ".stamp"), hash);
    rmSync(target, { recursive: true, force: true });
    renameSync(scratch, target);
    return 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

process.exitCode = await main();
