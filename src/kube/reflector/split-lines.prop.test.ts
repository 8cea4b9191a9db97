// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Line, splitLines } from "./split-lines.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function* cutInto(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array, void> {
  let from = 0;
  for (const at of [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)) {
    yield bytes.slice(from, at);
    from = at;
  }
  yield bytes.slice(from);
}

async function collect(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<(string | number)[]> {
  const seen: (string | number)[] = [];
  const show = (line: Line): string | number => (line.kind === "line" ? decoder.decode(line.bytes) : line.byteCount);
  for await (const lines of splitLines(body, limitBytes)) seen.push(...lines.map(show));
  return seen;
}

const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((each) => !each.includes("\n"));

test("[KU15] however the bytes are cut, whole lines come out, and of those over the limit the length alone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text),
      fc.array(fc.nat(200)),
      fc.integer({ min: 1, max: 20 }),
      async (lines, cuts, limitBytes) => {
        const bytes = encoder.encode(lines.map((line) => `${line}\n`).join(""));
        const expected = lines
          .filter((line) => line !== "")
          .map((line) => {
            const byteCount = encoder.encode(line).length;
            return byteCount > limitBytes ? byteCount : line;
          });
        expect(await collect(cutInto(bytes, cuts), limitBytes)).toEqual(expected);
      },
    ),
  );
});

test("a body that ends within a line was broken off", async () => {
  const seen = collect(cutInto(encoder.encode("a\nb"), [1]), 10);
  await expect(seen).rejects.toMatchObject({ fault: "tcp" });
});
