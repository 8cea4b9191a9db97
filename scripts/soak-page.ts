// SPDX-License-Identifier: Apache-2.0
// The section of docs/numbers.md that `npm run soak -- --record` updates: the number of fresh seeds without a
// violation.

/** One run of soak: seeds `firstSeed` to `firstSeed + seedCount - 1`. */
export interface SoakRun {
  readonly firstSeed: number;
  readonly seedCount: number;
  /** Number of worlds run with these seeds, of all kinds. */
  readonly worldCount: number;
  readonly violationCount: number;
  /** `2026-11-16`. */
  readonly day: string;
}

/** Number of runs listed in the page. */
const listedCount = 20;

/** Heading of the section. */
export const soakSectionName = "soak";

/** The section updated with this run. */
export function renderSoak(page: string, run: SoakRun): string {
  const sum = run.violationCount > 0 ? 0 : freshSeedCount(page) + run.seedCount;
  const rows = [...listedRows(page), rowOf(run)].slice(-listedCount);
  return [
    `## ${soakSectionName}`,
    "",
    "`npm run soak -- --minutes N --record`: the simulation with seeds that no run has used before.",
    "",
    `Fresh seeds since the last violation: **${sum.toLocaleString("en")}**.`,
    "",
    "| first seed | seeds | worlds | violations | day |",
    "| ---: | ---: | ---: | ---: | --- |",
    ...rows,
    "",
  ].join("\n");
}

/** The number of seeds since the last violation in the page; 0 if it has none. */
export function freshSeedCount(page: string): number {
  const digits = /^Fresh seeds since the last violation: \*\*([\d,]+)\*\*\.$/m.exec(page)?.[1] ?? "0";
  return Number(digits.replaceAll(",", ""));
}

function rowOf({ firstSeed, seedCount, worldCount, violationCount, day }: SoakRun): string {
  const counts = [seedCount, worldCount, violationCount].map((count) => count.toLocaleString("en"));
  return `| ${[String(firstSeed), ...counts, day].join(" | ")} |`;
}

function listedRows(page: string): readonly string[] {
  const start = page.indexOf(`## ${soakSectionName}\n`);
  if (start < 0) return [];
  const next = page.indexOf("\n## ", start);
  const section = page.slice(start, next < 0 ? undefined : next);
  return section.split("\n").filter((line) => /^\| *\d/.test(line));
}
