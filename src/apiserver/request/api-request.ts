// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";

/** A request, whatever carried it here. */
export interface ApiRequest {
  readonly method: string;
  /** The path of the URL, percent-decoded once, without any prefix of ours. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Who asks, after authentication and before impersonation. */
  readonly user: Subject;
  /** The value of a header by its lower-case name; several of one name are joined by commas. */
  header(name: string): string | undefined;
  /** Names and values of all headers whose lower-case name begins so. */
  headersUnder(prefix: string): readonly (readonly [string, string])[];
  /** The body, read once. Rejects with an ApiError where it is too large. */
  body(): Promise<Uint8Array>;
  /** Aborts when the client has gone or the server closes. */
  readonly signal: AbortSignal;
}

/** The answer. A stream of chunks is a watch: it is sent chunk by chunk, each only after the one before was taken. */
export interface ApiResponse {
  readonly status: number;
  /** Undefined where there is no body to tell the type of. */
  readonly contentType: string | undefined;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Further headers, lower-case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts for Warning headers. */
  readonly warnings?: readonly string[];
}

const encoder = new TextEncoder();

export const jsonType = "application/json";

/** An answer of plain text. */
export function textResponse(status: number, text: string): ApiResponse {
  return { status, contentType: "text/plain; charset=utf-8", body: encoder.encode(text) };
}
