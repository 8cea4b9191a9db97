// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";

/** A request, independent of its transport. */
export interface ApiRequest {
  readonly method: string;
  /** The path of the URL, percent-decoded once, without Flotilla's prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The authenticated user, before impersonation. */
  readonly user: Subject;
  /** The value of a header by its lower-case name. Several values are joined by commas. */
  header(name: string): string | undefined;
  /** Names and values of all headers whose lower-case name starts with `prefix`. */
  headersUnder(prefix: string): readonly (readonly [string, string])[];
  /** Reads the body, once. Rejects with an ApiError if it is too large. */
  body(): Promise<Uint8Array>;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

/** A response. An AsyncIterable body is a stream: each chunk is sent after the one before it was written. */
export interface ApiResponse {
  readonly status: number;
  /** Undefined without a body. */
  readonly contentType: string | undefined;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Further headers, lower-case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts for Warning headers. */
  readonly warnings?: readonly string[];
}

const encoder = new TextEncoder();

export const jsonType = "application/json";

/** A plain text response. */
export function textResponse(status: number, text: string): ApiResponse {
  return { status, contentType: "text/plain; charset=utf-8", body: encoder.encode(text) };
}
