// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { renderNumbers, replaceNumbers } from "../../scripts/numbers-page.ts";

const place = { day: "2026-01-02", nodeVersion: "26.1.0", coreCount: 2 };

function render(name: string, result: Readonly<Record<string, unknown>>): string {
  return renderNumbers(name, [JSON.stringify(result)], place);
}

test("a figure stands beside its goal, its peer and what was measured with it", () => {
  const met = render("ui", {
    bench: "ui",
    what: "script",
    ours: 177.845,
    unit: "kB",
    goal: "<= 200",
    meetsGoal: true,
    load: 0.4,
  });
  expect(met).toContain("| script | 178 kB | goal <= 200 | load 0.4 |");
  const compared = render("agent", {
    what: "RSS",
    ours: 61.239,
    unit: "MiB",
    peer: "client-go",
    peerValue: 783.2,
    ratio: 0.07819,
  });
  expect(compared).toContain("| RSS | 61.2 MiB | client-go: 783, ratio 0.0782 |  |");
});

test("a missed goal says so", () => {
  const missed = render("ui", { what: "step", ours: 26, unit: "ms", goal: "<= 20", meetsGoal: false });
  expect(missed).toContain("| step | 26 ms | goal <= 20, **missed** |  |");
});

test("a bench's section takes the place of its own and leaves the others", () => {
  const two = replaceNumbers(replaceNumbers("# Numbers\n", "ui", "## ui\n\nold\n"), "agent", "## agent\n\nkept\n");
  expect(replaceNumbers(two, "ui", "## ui\n\nnew\n")).toBe("# Numbers\n\n## ui\n\nnew\n\n## agent\n\nkept\n");
});
