// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { toBlocks } from "./text-blocks.ts";

test.each(["", "a", "a\nb", "\n".repeat(201), `${"a\n".repeat(250)}b`])(
  "[PG28] blocks are the text again, 100 lines each: %j",
  (text) => {
    const blocks = toBlocks(text);
    expect(blocks.join("")).toBe(text);
    for (const block of blocks.slice(0, -1)) expect(block.split("\n")).toHaveLength(101);
    expect(blocks.includes("")).toBe(false);
  },
);
