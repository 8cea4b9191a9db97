// SPDX-License-Identifier: Apache-2.0

/** One or two screens: the browser lays out only visible blocks. */
const blockLineCount = 100;

/** Splits a text into blocks of whole lines. Their concatenation is the text. */
export function toBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = endOfBlock(text, from);
    blocks.push(text.slice(from, end));
    from = end;
  }
  return blocks;
}

function endOfBlock(text: string, from: number): number {
  let end = from;
  for (let line = 0; line < blockLineCount; line += 1) {
    const newline = text.indexOf("\n", end);
    if (newline === -1) return text.length;
    end = newline + 1;
  }
  return end;
}
