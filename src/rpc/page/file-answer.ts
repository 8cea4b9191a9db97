// SPDX-License-Identifier: Apache-2.0
import { type PageCoding, type PageFile, pageCodings } from "./page-files.ts";

/**
 * Content-Security-Policy of a page (PG5): everything is loaded from the hub, no inline script or style, no framing, no
 * form submission. The `sandbox` of other responses is left out because a page runs scripts.
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

/** One year, the longest time that caches keep a file (PG6). */
const foreverSeconds = 31_536_000;

/**
 * A file of the page, or 304 if the browser's copy is current. The only answer that may be HTML. Created only by `of`,
 * from a file that was read at start.
 */
export class FileAnswer {
  readonly status: 200 | 304;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;

  private constructor(status: 200 | 304, headers: FileAnswer["headers"], body: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** The answer for a file, in the encoding that suits the request. */
  static of(file: PageFile, request: { header(name: string): string | undefined }): FileAnswer {
    const coding = chooseCoding(file, request.header("accept-encoding") ?? "");
    const entityTag = `"${file.hash}${coding === undefined ? "" : `.${coding}`}"`;
    // A 304 carries the policy too: the browser updates the headers of its copy.
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

/** The best encoding that the browser accepts and the build produced; undefined: identity. */
function chooseCoding({ coded }: PageFile, accept: string): PageCoding | undefined {
  const weights = new Map<string, number>();
  for (const part of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.find((piece) => piece.startsWith("q="))?.slice("q=".length);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  // NaN > 0 is false, so a malformed weight counts as 0.
  return pageCodings.find((coding) => coded.has(coding) && (weights.get(coding) ?? weights.get("*") ?? 0) > 0);
}

/** Compares `If-None-Match` by weak comparison (RFC 9110 section 13.1.2). */
function isKnown(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((part) => {
    const tag = part.trim().replace(/^W\//, "");
    return tag === entityTag || tag === "*";
  });
}
