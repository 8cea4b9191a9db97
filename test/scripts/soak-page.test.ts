// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { replaceNumbers } from "../../scripts/numbers-page.ts";
import { freshSeedCount, renderSoak, type SoakRun, soakSectionName } from "../../scripts/soak-page.ts";

function recorded(page: string, run: Partial<SoakRun>): string {
  const whole = {
    firstSeed: 800_000,
    seedCount: 1_000,
    worldCount: 1_200,
    violationCount: 0,
    day: "2026-01-02",
    ...run,
  };
  return replaceNumbers(page, soakSectionName, renderSoak(page, whole));
}

const other = "# Numbers\n\n## ui\n\n| 7 | kept |\n";

test("[SI28] seeds of runs without a violation add up, and each run is listed", () => {
  const page = recorded(recorded(other, {}), { firstSeed: 801_000, seedCount: 2_500 });
  expect(freshSeedCount(page)).toBe(3_500);
  expect(page).toContain("Fresh seeds since the last violation: **3,500**.");
  expect(page).toContain("| 800000 | 1,000 | 1,200 | 0 | 2026-01-02 |\n| 801000 | 2,500 | 1,200 | 0 | 2026-01-02 |");
  expect(page).toContain("## ui\n\n| 7 | kept |\n");
});

test("[SI28] a violation sets the count to 0, and what follows counts from there", () => {
  const broken = recorded(recorded(other, {}), { violationCount: 1 });
  expect(freshSeedCount(broken)).toBe(0);
  expect(freshSeedCount(recorded(broken, { seedCount: 40 }))).toBe(40);
});

test("[SI28] the page lists the newest runs only, and their sum stays", () => {
  let page = other;
  for (let run = 0; run < 30; run += 1) page = recorded(page, { firstSeed: 1_000 + run, seedCount: 10 });
  expect(freshSeedCount(page)).toBe(300);
  expect([page.includes("| 1009 |"), page.includes("| 1010 |")]).toEqual([false, true]);
});
