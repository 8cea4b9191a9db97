// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** 4 MiB: about the size of a kubeconfig of 1,000 clusters with certificates. */
export const kubeconfigBoundBytes = 4 * 1024 * 1024;

/** A kubeconfig nests about eight levels deep; extensions may add a few. */
const maxDepth = 64;

/** Most lexer tokens. The parser takes some microseconds for each; 1,000 contexts have about 60,000. */
const maxTokenCount = 500_000;

/** The mark that the lexer emits before the text of a scalar. */
const scalarMark = "\u001f";

function invalid(file: string, sentence: string, cause?: unknown): FlotillaError {
  return new FlotillaError("CONFIG_INVALID", `the kubeconfig ${file} ${sentence}`, { cause });
}

/**
 * The single document of a kubeconfig, YAML or JSON, as plain values. Throws CONFIG_INVALID with line and column, but
 * never with the text, which holds secrets (KU9). The YAML parser is loaded on first use: an agent in a cluster never
 * needs it.
 */
export async function parseKubeconfigDocument(file: string, text: string): Promise<unknown> {
  if (Buffer.byteLength(text) > kubeconfigBoundBytes) {
    throw invalid(file, `is larger than the limit of ${kubeconfigBoundBytes} bytes`);
  }
  const { Lexer, LineCounter, parseDocument } = await import("yaml");
  if (exceedsLimits(new Lexer().lex(text))) throw invalid(file, "is nested too deeply, or has too many parts");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, merge: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    // The parser's code instead of its message, which may quote the text.
    throw invalid(file, `is not YAML at line ${line}, column ${col}: ${error.code.toLowerCase().replaceAll("_", " ")}`);
  }
  try {
    // The parser's own limit on alias expansion (100 each) stops documents that would explode.
    return document.toJS();
  } catch (reason) {
    throw invalid(file, "has YAML aliases that do not resolve, or too many of them; write the values out", reason);
  }
}

function exceedsLimits(tokens: Iterable<string>): boolean {
  let tokenCount = 0;
  let flowDepth = 0;
  let indicatorsInLine = 0;
  let isScalar = false;
  for (const token of tokens) {
    tokenCount += 1;
    if (tokenCount > maxTokenCount) return true;
    if (isScalar) isScalar = false;
    else if (token === scalarMark) isScalar = true;
    else if (token === "[" || token === "{") flowDepth += 1;
    else if (token === "]" || token === "}") flowDepth -= 1;
    else if (token === "-" || token === "?") indicatorsInLine += 1;
    // Each deeper block is indented by at least one space.
    else if (/^ +$/.test(token) && token.length > maxDepth * 2) return true;
    else if (token.startsWith("\n") || token.startsWith("\r")) indicatorsInLine = 0;
    if (flowDepth + indicatorsInLine > maxDepth) return true;
  }
  return false;
}
