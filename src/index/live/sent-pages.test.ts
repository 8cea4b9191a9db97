// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { toRowHash } from "../../model/rows/row.ts";
import type { LiveEntry } from "./live-page.ts";
import { createPagePositions } from "./page-position.ts";
import { SentPages } from "./sent-pages.ts";

function entry(name: string, hash = 1n, troubledSinceMs?: number): LiveEntry {
  const key = { cluster: "east", resource: "pods", namespace: "a", name };
  return { key, rowHash: toRowHash(hash), troubledSinceMs };
}

test("[QL20] pages of open readers are kept, those of readers that left for a time and within bounds", () => {
  const pages = new SentPages({ maxCount: 2, maxRows: 3, keptMs: 100 });
  const [one, two, three] = [[entry("a")], [entry("a"), entry("b")], [entry("c")]];
  pages.hold("one", one);
  pages.hold("one", one);
  pages.hold("two", two);
  pages.hold("three", three);
  pages.leave("one", 0);
  expect(pages.find("one", 1_000)).toBe(one);
  pages.leave("one", 1_000);
  pages.leave("two", 1_050);
  expect(pages.find("one", 1_099)).toBe(one);
  expect(pages.find("one", 1_100)).toBeUndefined();
  expect(pages.find("two", 1_100)).toBe(two);
  pages.hold("one", one);
  pages.leave("three", 1_100);
  pages.leave("one", 1_100);
  // Four rows are one too many: the page that was left first goes.
  expect(pages.find("two", 1_100)).toBeUndefined();
  expect(pages.find("three", 1_100)).toBe(three);
  pages.hold("three", three);
  pages.drop("three");
  expect(pages.find("three", 1_100)).toBe(three);
  pages.leave("three", 1_100);
  pages.drop("three");
  expect(pages.find("three", 1_100)).toBeUndefined();
  expect(pages.count).toBe(1);
});

test("[QL20] [L17] a position is another one for another user, query, order or row", () => {
  // Not a hash: it is different for different messages, and that is what is tested here.
  const nameOf = createPagePositions(new Uint8Array(1), (_key, message) => {
    const sum = new Uint8Array(32);
    for (const [at, byte] of message.entries()) sum[at % 18] = ((sum[at % 18] ?? 0) * 31 + byte) % 251;
    return sum;
  });
  const binding = { user: "ada", query: "kind:Pod", sort: "name" };
  const page = [entry("a"), entry("b")];
  const first = nameOf(page, binding);
  expect(nameOf([entry("a"), entry("b")], { ...binding })).toBe(first);
  const others = [
    nameOf(page, { ...binding, user: "bob" }),
    nameOf(page, { ...binding, query: "" }),
    nameOf(page, { ...binding, sort: "-name" }),
    nameOf([entry("b"), entry("a")], binding),
    nameOf([entry("a")], binding),
    nameOf([entry("a"), entry("b", 2n)], binding),
    nameOf([entry("a"), entry("b", 1n, 5)], binding),
  ];
  expect(new Set([first, ...others]).size).toBe(8);
});
