// SPDX-License-Identifier: Apache-2.0
// The agent's process, given settings that cannot work.
import { afterAll, describe, expect, test } from "vitest";
import { openTempFolder } from "../support/temp-folder.ts";
import { flotilla } from "./fleet/background-program.ts";

const cases: readonly (readonly [flags: readonly string[], named: string])[] = [
  [["--min-sync-interval", "40s", "--max-sync-interval", "35s"], "min-sync-interval"],
  [["--sync-interval", "10m", "--max-sync-interval", "1m"], "sync-interval"],
  [["--sync-interval", "1s", "--min-sync-interval", "2s"], "min-sync-interval"],
  [["--sync-interval", "0"], "sync-interval"],
  [["--max-sync-interval=-5s"], "max-sync-interval"],
  [["--min-sync-interval", "0"], "min-sync-interval"],
  [["--health-interval", "5s", "--health-timeout", "5s"], "health-timeout"],
];

describe("settings that cannot work", () => {
  const folder = openTempFolder();
  afterAll(() => folder[Symbol.dispose]());

  test.each(cases)("[N-52] %j stop the agent at once, and the setting is named", async (flags, named) => {
    const args = ["agent", "--cluster-id", "east", "--hub", "https://127.0.0.1:1", ...flags];
    const { code, stdout, stderr } = await flotilla(folder.path, args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^flotilla: /);
    expect(stderr).toContain(`--${named}: `);
  });
});
