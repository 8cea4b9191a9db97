// SPDX-License-Identifier: Apache-2.0
// Rows and changes are shown through FleetReader alone: nothing reads around its rule.
import { isTestCode, lineAt, type SourceFile, type Violation } from "./source-tree.ts";

/** The folders that fold, compare and store rows, and the one that assembles them. */
const rowFolders = ["src/hub/rows/", "src/hub/index/", "src/hub/ingest/", "src/hub/sessions/", "src/hub/fleet/"];

/** What others may import of src/hub/rows: the reader's interface, limits, and the bounds of messages. */
const openFiles: ReadonlySet<string> = new Set([
  "src/hub/rows/fleet-reader.ts",
  "src/hub/rows/fleet-queries.ts",
  "src/hub/rows/bounded-groups.ts",
]);

/** The fold target and the feed by the names that a Fleet gives them. */
const aroundReader =
  /\.\s*fleetRows\b|\bfleet\s*\.\s*feed\b|\{[^{}]*\b(?:fleetRows|feed)\b[^{}]*\}\s*=\s*[\w.#]*fleet\b/g;

/**
 * Code of the hub that imports rows or the change feed, or reaches them through the fleet, instead of using the reader.
 */
export function checkRowAccess(files: readonly SourceFile[]): Violation[] {
  const found: Violation[] = [];
  for (const file of files) {
    if (!file.path.startsWith("src/") || isTestCode(file.path)) continue;
    if (rowFolders.some((folder) => file.path.startsWith(folder))) continue;
    const add = (at: number, message: string): void =>
      void found.push({ rule: "row-access", path: file.path, line: lineAt(file.text, at), message });
    for (const { target = "", at } of file.imports) {
      if (target.startsWith("src/hub/rows/") && !openFiles.has(target))
        add(at, `imports ${target}: rows are read through FleetReader, with a subject`);
    }
    for (const match of file.code.matchAll(aroundReader))
      add(match.index, `uses \`${match[0]}\`: rows are read through FleetReader, with a subject`);
  }
  return found;
}
