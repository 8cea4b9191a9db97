// SPDX-License-Identifier: Apache-2.0
import { Lexer } from "yaml";

/**
 * How many tokens (scalars, indicators, spaces, line ends) a text may have. The parser takes several microseconds for each, so this is what bounds a request to
 * about a second; a pod has some 400, the longest CustomResourceDefinitions in use some 100,000.
 */
const maxTokenCount = 200_000;

/** The mark that the lexer puts before the text of a scalar. */
const scalarMark = "\u001f";

/** Why a text is not given to the parser at all: it would take too long or go too deep. Undefined if neither. */
export function findExcess(text: string, maxDepth: number): "length" | "depth" | undefined {
  let tokenCount = 0;
  let flowDepth = 0;
  let indicatorsInLine = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    tokenCount += 1;
    if (tokenCount > maxTokenCount) return "length";
    if (isScalar) isScalar = false;
    else if (token === scalarMark) isScalar = true;
    else if (token === "[" || token === "{") flowDepth += 1;
    else if (token === "]" || token === "}") flowDepth -= 1;
    else if (token === "-" || token === "?") indicatorsInLine += 1;
    else if (token.startsWith("\n") || token.startsWith("\r")) indicatorsInLine = 0;
    if (flowDepth + indicatorsInLine > maxDepth) return "depth";
  }
  return undefined;
}
