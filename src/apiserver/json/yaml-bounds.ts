// SPDX-License-Identifier: Apache-2.0
import { Lexer } from "yaml";

/**
 * Maximum number of tokens (scalars, indicators, spaces, line ends) in a text. The parser takes several microseconds
 * for each, so that a request takes about a second at most. A Pod has about 400; the longest CustomResourceDefinitions
 * in use have about 100,000.
 */
const maxTokenCount = 200_000;

/** The lexer's mark before a scalar's text. */
const scalarMark = "\u001f";

/** Why a text is refused before parsing: too many tokens or too deep. Undefined if neither. */
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
