// SPDX-License-Identifier: Apache-2.0
// Creates every generated file of the repository in memory. `npm run generate` stores them, `npm test` compares them
// with the checked-in files.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderConfigReference } from "../src/main/config/config-reference.ts";
import { renderErrorReference } from "../src/main/reference/error-reference.ts";
import { root, runTool } from "./project.ts";
import { listFiles, readCitations, readSections } from "./read-requirements.ts";
import { renderRequirementsPage } from "./requirements-page.ts";

/**
 * Folders with generated files only: a file there that no generator writes is out of date too. src/gen/kubernetes is
 * not included: its scripts need a running Kubernetes, and the tests on the kit compare their output.
 */
const generatedFolders = ["src/gen/flotilla"];

/** The result of the generators. */
export interface Generated {
  /** Path from the root -> expected text. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that are checked in and that no generator writes. */
  readonly superfluous: readonly string[];
}

/** Runs all generators. Rejects with the tool's error if one fails; writes nothing outside a temporary folder. */
export async function generateFiles(): Promise<Generated> {
  const files = await generateFromProto();
  const superfluous = generatedFolders
    .flatMap((folder) => listFiles([`${folder}/**/*.*`]))
    .filter((path) => !files.has(path));
  files.set("docs/reference/requirements.md", renderRequirementsPage(readSections(), readCitations()));
  // Rendered from the tables of the code, so that page and behaviour are the same.
  files.set("docs/reference/config.md", renderConfigReference());
  files.set("docs/reference/errors.md", renderErrorReference());
  return { files, superfluous };
}

/** The paths whose checked-in text differs from the generated text. */
export function findOutdated(generated: Generated): string[] {
  const outdated = [...generated.files].filter(([path, text]) => {
    const stored = join(root, path);
    return !existsSync(stored) || readFileSync(stored, "utf8") !== text;
  });
  return [...outdated.map(([path]) => path), ...generated.superfluous].sort();
}

async function generateFromProto(): Promise<Map<string, string>> {
  const scratch = mkdtempSync(join(tmpdir(), "flotilla-generate-"));
  try {
    const finished = await runTool("buf", ["generate", "--output", scratch]);
    if (finished.code !== 0) throw new Error(`buf generate failed: ${finished.output.trim()}`);
    const paths = globSync("**/*.ts", { cwd: scratch }).sort();
    return new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(scratch, path), "utf8")]));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
