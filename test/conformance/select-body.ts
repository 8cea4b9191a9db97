// SPDX-License-Identifier: Apache-2.0
import type { Answer } from "./answer.ts";
import { changeAt, readPath } from "./body-path.ts";
import type { Step } from "./scenario.ts";
import { sortKeys } from "./sort-keys.ts";

/** The answer with only that part of its body that the step is about. Refusals stay whole. */
export function selectBody(step: Step, answer: Answer): Answer {
  if (answer.status >= 400 || answer.body === undefined) return answer;
  let body: unknown = answer.body;
  const { only, pick, unordered = [] } = step;
  if (only !== undefined) {
    const isWanted = (item: unknown): boolean => only.values.includes(String(readPath(item, only.key)));
    body = changeAt(body, only.list, (list) => (Array.isArray(list) ? list.filter(isWanted) : list));
  }
  for (const path of unordered) body = changeAt(body, path, sortItems);
  if (pick !== undefined) body = Object.fromEntries(pick.map((path) => [path, readPath(body, path)]));
  return { ...answer, body };
}

/** The items in the order of their text. */
function sortItems(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  const texts = list.map((item: unknown) => ({ item, text: JSON.stringify(sortKeys(item)) }));
  return texts.toSorted((a, b) => (a.text < b.text ? -1 : 1)).map(({ item }) => item);
}
