// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** 4 MiB: a kubeconfig of 1,000 clusters with certificates has about that. */
export const kubeconfigBoundBytes = 4 * 1024 * 1024;

/** A kubeconfig nests about eight deep; extensions may add a few. */
const deepest = 64;

/** Lexer tokens. A parser takes some microseconds for each; 1,000 contexts have about 60,000. */
const mostTokenCount = 500_000;

/** The mark that the lexer puts before the text of a scalar. */
const scalarMark = "\u001f";

function invalid(file: string, sentence: string, cause?: unknown): FlotillaError {
  return new FlotillaError("CONFIG_INVALID", `the kubeconfig ${file} ${sentence}`, { cause });
}

/**
 * The one document of a kubeconfig's text, YAML or JSON, as plain values. Throws CONFIG_INVALID, with line and column but never with the text itself,
 * which is full of secrets (KU9). The parser is loaded when the first kubeconfig is read: an agent in a cluster never needs it.
 */
export async function parseKubeconfigDocument(file: string, text: string): Promise<unknown> {
  if (Buffer.byteLength(text) > kubeconfigBoundBytes) {
    throw invalid(file, `has more than the ${kubeconfigBoundBytes} bytes that are read of one`);
  }
  const { Lexer, LineCounter, parseDocument } = await import("yaml");
  if (isTooMuch(new Lexer().lex(text))) throw invalid(file, "is nested too deeply, or has too many parts");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, merge: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    // The parser's code, not its message: a message may quote the text.
    throw invalid(file, `is not YAML at line ${line}, column ${col}: ${error.code.toLowerCase().replaceAll("_", " ")}`);
  }
  try {
    // The parser's own bound on what aliases stand for (100 each) ends documents that explode.
    return document.toJS();
  } catch (reason) {
    throw invalid(file, "has YAML aliases that do not resolve, or too many of them; write the values out", reason);
  }
}

function isTooMuch(tokens: Iterable<string>): boolean {
  let tokenCount = 0;
  let flowDepth = 0;
  let indicatorsInLine = 0;
  let isScalar = false;
  for (const token of tokens) {
    tokenCount += 1;
    if (tokenCount > mostTokenCount) return true;
    if (isScalar) isScalar = false;
    else if (token === scalarMark) isScalar = true;
    else if (token === "[" || token === "{") flowDepth += 1;
    else if (token === "]" || token === "}") flowDepth -= 1;
    else if (token === "-" || token === "?") indicatorsInLine += 1;
    // A block that is deeper stands further right, by a space at least.
    else if (/^ +$/.test(token) && token.length > deepest * 2) return true;
    else if (token.startsWith("\n") || token.startsWith("\r")) indicatorsInLine = 0;
    if (flowDepth + indicatorsInLine > deepest) return true;
  }
  return false;
}
