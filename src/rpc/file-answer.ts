// SPDX-License-Identifier: Apache-2.0
import { type PageCoding, type PageFile, pageCodings } from "./page-files.ts";

/**
 * What a page may do (PG5): everything comes from the hub itself, no script or style stands in the page, nobody frames it, and
 * no form of it is sent by the browser. `sandbox` of other answers is not here: a page runs scripts.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A year, as long as caches keep anything (PG6). */
const foreverSeconds = 31_536_000;

/** A file of the page, or that the browser's copy is still right: the only answer that may be HTML. Made by `of` alone, from a file that was read at start. */
export class FileAnswer {
  readonly status: 200 | 304;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;

  private constructor(status: 200 | 304, headers: FileAnswer["headers"], body: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** The answer for a file of the table, in the form that suits the request. */
  static of(file: PageFile, request: { header(name: string): string | undefined }): FileAnswer {
    const coding = chooseCoding(file, request.header("accept-encoding") ?? "");
    const entityTag = `"${file.hash}${coding === undefined ? "" : `.${coding}`}"`;
    // The policy stands on a 304 too: a browser takes the newer headers for the copy that it has.
    const headers: [string, string][] = [
      ["content-security-policy", pagePolicy],
      ["cross-origin-opener-policy", "same-origin"],
      ["cache-control", file.isImmutable ? `public, max-age=${foreverSeconds}, immutable` : "no-cache"],
      ["etag", entityTag],
      ["vary", "accept-encoding"],
    ];
    if (isKnown(request.header("if-none-match"), entityTag)) return new FileAnswer(304, headers, new Uint8Array());
    headers.push(["content-type", file.contentType]);
    if (coding === undefined) return new FileAnswer(200, headers, file.identity);
    headers.push(["content-encoding", coding]);
    return new FileAnswer(200, headers, file.coded.get(coding) ?? file.identity);
  }
}

/** The best coding that the browser takes and the build made; undefined = as it is. */
function chooseCoding({ coded }: PageFile, accept: string): PageCoding | undefined {
  const weights = new Map<string, number>();
  for (const part of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.find((piece) => piece.startsWith("q="))?.slice("q=".length);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  // A weight that is no number is not above 0 either.
  return pageCodings.find((coding) => coded.has(coding) && (weights.get(coding) ?? weights.get("*") ?? 0) > 0);
}

/** `If-None-Match` by the weak comparison that RFC 9110 section 13.1.2 asks for. */
function isKnown(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((part) => {
    const tag = part.trim().replace(/^W\//, "");
    return tag === entityTag || tag === "*";
  });
}
