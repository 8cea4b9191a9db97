// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vitest/config";

/** `simulation` and `integration` files start processes or whole worlds, so `npm run check` leaves them out. */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "ui/src/**/*.test.ts", "test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    setupFiles: ["test/support/leak-check.ts", "test/support/seeded-properties.ts"],
    // Below testTimeout, so that a poll fails with its own message. Vitest's default of 1 s is too short for the start
    // of a process or a handshake on a busy machine.
    expect: { poll: { timeout: 40_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { hooks: "stack" },
  },
});
