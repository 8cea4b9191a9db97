// SPDX-License-Identifier: Apache-2.0
// Desired state on SQLite: durable writes beside the bare engine's own ceiling, one change to many watches, and a large
// store. Budget: at 64 in flight >= 60 % of bare SQLite with the same batching and >= 5x one commit per write.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchDurableWrites } from "./store/durable-writes.ts";
import { benchLargeStore } from "./store/large-store.ts";
import { benchManyWatches } from "./store/many-watches.ts";

const root = mkdtempSync(join(tmpdir(), "flotilla-bench-store-"));
const makeFolder = (): string => mkdtempSync(join(root, "run-"));
try {
  // First, while the process is still small: it looks at memory.
  await benchLargeStore(makeFolder);
  await benchDurableWrites(makeFolder);
  await benchManyWatches();
} finally {
  rmSync(root, { recursive: true, force: true });
}
