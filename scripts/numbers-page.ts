// SPDX-License-Identifier: Apache-2.0
// docs/numbers.md: the results of the benches, one section per bench, replaced by `npm run bench -- NAME --record`.

/** When and where a bench ran. */
export interface BenchPlace {
  /** `2026-11-16`. */
  readonly day: string;
  readonly nodeVersion: string;
  readonly coreCount: number;
}

/** One row of the page; result fields that are not listed here go into `details`. */
interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly against: string;
  readonly details: string;
}

const namedFields: ReadonlySet<string> = new Set([
  "bench",
  "what",
  "ours",
  "unit",
  "goal",
  "meetsGoal",
  "ratio",
  "peer",
  "peerValue",
]);

/** The section of one bench, from its JSON result lines. */
export function renderNumbers(name: string, results: readonly string[], place: BenchPlace): string {
  const figures = results.map((line) => toFigure(fieldsOf(line)));
  const rows = figures.map(({ what, measured, against, details }) => [what, measured, against, details]);
  const table = [["what", "measured", "against", "beside it"], ["---", "---:", "---", "---"], ...rows];
  return [
    `## ${name}`,
    "",
    `\`npm run bench -- ${name} --record\`, ${place.day}, Node ${place.nodeVersion}, ${place.coreCount} cores.`,
    "",
    ...table.map((cells) => `| ${cells.join(" | ")} |`),
    "",
  ].join("\n");
}

/** The page with this bench's section replaced, or appended if it had none. */
export function replaceNumbers(page: string, name: string, section: string): string {
  const start = page.indexOf(`## ${name}\n`);
  if (start < 0) return `${page.trimEnd()}\n\n${section}`;
  const next = page.indexOf("\n## ", start);
  return page.slice(0, start) + section + (next < 0 ? "" : page.slice(next));
}

function fieldsOf(line: string): ReadonlyMap<string, unknown> {
  const result: unknown = JSON.parse(line);
  return new Map(typeof result === "object" && result !== null ? Object.entries(result) : []);
}

function toFigure(result: ReadonlyMap<string, unknown>): Figure {
  const unit = text(result.get("unit"));
  const goal = result.get("goal");
  const peer = result.get("peer");
  const missed = result.get("meetsGoal") === false ? ", **missed**" : "";
  const ratio = typeof result.get("ratio") === "number" ? `, ratio ${text(result.get("ratio"))}` : "";
  const details = [...result].filter(([field]) => !namedFields.has(field));
  return {
    what: text(result.get("what")),
    measured: result.has("ours") ? `${text(result.get("ours"))} ${unit}` : "",
    against: [
      ...(goal === undefined ? [] : [`goal ${text(goal)}${missed}`]),
      ...(peer === undefined ? [] : [`${text(peer)}: ${text(result.get("peerValue"))}${ratio}`]),
    ].join("; "),
    details: details.map(([field, value]) => `${field} ${text(value)}`).join(", "),
  };
}

/** Three significant digits: the measurements are not more precise. */
function text(value: unknown): string {
  if (typeof value === "string")
    return value.replaceAll("|", "\\|").replace(/\d+\.\d{3,}/g, (digits) => text(Number(digits)));
  if (typeof value !== "number") return value === undefined ? "" : JSON.stringify(value);
  return Number(value.toPrecision(3)) === Math.round(value) || Math.abs(value) >= 100
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(3)));
}
