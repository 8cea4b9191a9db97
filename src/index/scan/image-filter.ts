// SPDX-License-Identifier: Apache-2.0
// Filters by container image. Workloads have a list column of images (KI8), Pods hold each container as JSON (KI7).
import { textOf } from "../../kinds/fields.ts";
import type { TextTest } from "../language/query-predicate.ts";
import { escapePattern } from "../language/text-pattern.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { compileColumn } from "./column-filter.ts";
import { invertMatch, keepMatched, toIdMatch } from "./id-match.ts";
import { joinAll, joinAny, type RowFilter, type ScanScratch } from "./keep-rows.ts";
import { createTextTest, longestLiteral, matchTexts } from "./match-texts.ts";
import { TextVerdicts } from "./text-verdicts.ts";

interface ImageScan {
  readonly texts: ClusterTexts;
  readonly scratch: ScanScratch;
}

const containerColumns = ["containers", "initContainers"] as const;

/** Characters that JSON always writes in another way. */
// oxlint-disable-next-line no-control-regex
const escaped = /["\\\u0000-\u001f]/;

/** Texts with a backslash: JSON may write any character with one. */
const withBackslash: TextTest = { kind: "contains", pattern: "\\\\" };

/** By test of images, the test that the JSON of a container passes if it has no backslash and one of its texts does. */
const jsonTests = new WeakMap<TextTest, TextTest>();

/** The image in the JSON of a container; undefined for any other text, which an agent may send. */
export function imageOfContainer(container: string): string | undefined {
  if (!container.startsWith("{")) return undefined;
  try {
    return textOf(JSON.parse(container), "image") || undefined;
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}

/** The filter of rows that have an image which passes; with `isNegated` of those that have none. */
export function compileImage(test: TextTest, of: ImageScan, isNegated: boolean): (table: KindTable) => RowFilter {
  const images = compileColumn("images", { text: test }, of, isNegated);
  const matches = createTextTest(test);
  const passes = (image: string | undefined): boolean => image !== undefined && matches(image);
  let verdicts: TextVerdicts | undefined;
  return (table) => {
    const filters = [images(table)];
    for (const name of containerColumns) {
      const column = table.column(name, "stringList");
      if (column === undefined || !("ids" in column)) continue;
      verdicts ??= new TextVerdicts(of, (text) => passes(imageOfContainer(text)), findContainers(test, of));
      const match = toIdMatch(verdicts.flagLists(column.ids.values, table.count));
      filters.push(
        keepMatched(column.ids, isNegated ? invertMatch(match, of.texts.lists.count + 1, of.scratch) : match),
      );
    }
    return isNegated ? joinAll(filters) : joinAny(filters, of.scratch);
  };
}

/** The texts that can be the JSON of such a container, with a 1 at the place of each id; undefined if any can. */
function findContainers(test: TextTest, { texts, scratch }: ImageScan): Uint8Array | undefined {
  const literal = test.kind === "equals" ? test.text : longestLiteral(test.pattern);
  if (literal === "" || escaped.test(literal)) return undefined;
  const known: TextTest = jsonTests.get(test) ?? { kind: "contains", pattern: escapePattern(literal.toLowerCase()) };
  jsonTests.set(test, known);
  const found = scratch.takeFlags(texts.texts.count);
  for (const each of [known, withBackslash]) {
    const match = matchTexts(texts.texts, each, { scratch });
    if (match.kind === "some")
      for (let id = 0; id < found.length; id += 1) found[id] = (found[id] ?? 0) | (match.isMatched[id] ?? 0);
  }
  return found;
}
