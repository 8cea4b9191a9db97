// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CompletionCatalog, completeQuery, maxCompletions } from "./complete-query.ts";
import { fieldRefText } from "./field-ref.ts";
import { parseQuery } from "./parse-query.ts";
import { literalOf } from "./text-pattern.ts";

const values = new Map([
  ["cluster", ["prod-east", "prod-west", "dev"]],
  ["namespace", ["shop", "shop blue", 'say "hi"', "a*b"]],
  ["label.", ["app", "app.kubernetes.io/name", "with blank"]],
  ["label.app", ["web", "db"]],
]);
const catalog: CompletionCatalog = {
  kindNames: ["Pod", "PodDisruptionBudget", "Deployment"],
  columnNames: ["restarts", "ready", "phase"],
  listValues: (ref, prefix) =>
    (values.get(fieldRefText(ref)) ?? [])
      .filter((value) => value.startsWith(prefix))
      .map((value) => ({ value, count: 3 })),
};

/** `|` is the caret. */
function complete(marked: string): { readonly texts: readonly string[]; readonly replaced: string } {
  const text = marked.replace("|", "");
  const { completions, from, to } = completeQuery(text, marked.indexOf("|"), catalog);
  return { texts: completions.map((each) => each.text), replaced: text.slice(from, to) };
}

describe("completion", () => {
  test.each([
    ["sta|", ["status"], "sta"],
    ["STA|", ["status"], "STA"],
    ["sta|=unhealthy", ["status"], "sta"],
    ["a=1 (clu|", ["cluster"], "clu"],
    ["-name|", [...operators("name"), "namespace", "name"], "name"],
    ["n|", ["namespace", "name", "not"], "n"],
    ["status:un|", ["unhealthy", "unknown"], "un"],
    ["status = |", statuses(), ""],
    ["status:unhe|xx name:a", ["unhealthy"], "unhexx"],
    ["kind:in(Dep|", ["Deployment"], "Dep"],
    ["kind:in(Pod, D|)", ["Deployment"], "D"],
    ["kind:Deployment,pod|", ["Pod", "PodDisruptionBudget"], "pod"],
    ["cluster:prod|", ["prod-east", "prod-west"], "prod"],
    ["cluster!=|", ["prod-east", "prod-west", "dev"], ""],
    ['ns:"shop|', ["shop", '"shop blue"'], '"shop'],
    ["ns:say|", ['"say \\"hi\\""'], "say"],
    ["ns:a|", ["a\\*b"], "a"],
    ["label.|", ["label.app", "label.app.kubernetes.io/name"], "label."],
    ["label.app.k|", ["label.app.kubernetes.io/name", ...operators("label.app.k")], "label.app.k"],
    ["label.app=w|", ["web"], "w"],
    ["field.re|", ["field.ready", "field.restarts", ...operators("field.re")], "field.re"],
    ["age<|", [], ""],
    ['"free te|xt"', [], ""],
    ["nothing:|", [], ""],
  ])("[Q-37] %s", (marked, texts, replaced) => {
    expect(complete(marked)).toEqual({ texts, replaced });
  });

  test("[Q-37] values come with the number of visible rows, and no more than the bound", () => {
    expect(completeQuery("ns:shop", 7, catalog).completions[0]).toEqual({
      text: "shop",
      kind: "value",
      detail: "3 rows",
    });
    const many = { ...catalog, kindNames: Array.from({ length: 100 }, (_, at) => `Kind${at}`) };
    expect(completeQuery("kind:", 5, many).completions).toHaveLength(maxCompletions);
  });

  test("[QL1] any text at any caret is completed within it, and a value that is taken reads as that value", () => {
    const piece = fc.constantFrom(
      "status",
      "label.",
      "ns",
      ":",
      "=",
      "in(",
      ",",
      ")",
      "(",
      '"',
      "'",
      "\\",
      " ",
      "-",
      "x",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: -2, max: 60 }), (pieces, caret) => {
        const text = pieces.join("");
        const { completions, from, to } = completeQuery(text, caret, catalog);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThanOrEqual(text.length);
        expect(from).toBeLessThanOrEqual(to);
        for (const { kind, text: value } of completions) {
          if (kind !== "value") continue;
          const query = parseQuery(`ns:${value}`);
          const known = [...values.values()].flat().concat(statuses(), [...catalog.kindNames]);
          const [pattern] = query.kind === "compare" ? query.values : [];
          expect(known).toContain(literalOf(pattern?.pattern ?? ""));
        }
      }),
    );
  });
});

function statuses(): string[] {
  return ["unhealthy", "degraded", "progressing", "terminating", "suspended", "unknown", "healthy", "completed"];
}

function operators(field: string): string[] {
  return ["=", "!=", "<", "<=", ">", ">=", "~", "!~"].map((operator) => `${field}${operator}`);
}
