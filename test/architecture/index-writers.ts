// SPDX-License-Identifier: Apache-2.0
// Rows enter the index through ingest alone, those of agents and of collectors.
import { isTestCode, lineAt, type SourceFile, type Violation } from "./source-tree.ts";

const writes = "(?:prepare|commit|discard|applyStored|load)\\s*\\(";

/** Calls that fold rows, by the names of the index and of the hub's rows, and the files that may make them. */
const writers: readonly { readonly call: RegExp; readonly from: string; readonly allowed: RegExp }[] = [
  {
    call: new RegExp(`\\b(?:index|indexPort)\\s*\\.\\s*${writes}`, "g"),
    from: "src/hub/rows/fleet-rows.ts",
    allowed: /^src\/hub\/rows\/fleet-rows\.ts$/,
  },
  {
    call: new RegExp(`\\b(?:fleetRows|rows)\\s*\\.\\s*${writes}`, "g"),
    from: "src/hub/ingest",
    allowed: /^src\/hub\/ingest\//,
  },
];

/** Code of the hub and of `main` that folds rows and is not ingest. */
export function checkIndexWriters(files: readonly SourceFile[]): Violation[] {
  const found: Violation[] = [];
  for (const { path, text, code } of files) {
    const isChecked = path.startsWith("src/hub/") || path.startsWith("src/main/");
    if (!isChecked || isTestCode(path)) continue;
    for (const { call, from, allowed } of writers) {
      if (allowed.test(path)) continue;
      for (const match of code.matchAll(call)) {
        const message = `uses \`${match[0]}\`: rows enter the index from ${from} alone`;
        found.push({ rule: "index-writers", path, line: lineAt(text, match.index), message });
      }
    }
  }
  return found;
}
