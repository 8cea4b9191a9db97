// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder that disposing removes with all it holds. */
export function openTempFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "flotilla-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
