// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { ApiError, badRequest } from "../status/api-error.ts";

/** Maximum body size: Kubernetes' limit, which follows from etcd's. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** The parts of an HTTP request, independent of the listener. */
export interface HttpParts {
  readonly method: string;
  /** Path and query as sent, without Flotilla's prefix. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body's bytes. Called at most once, and not for a request that is refused before. */
  body(): AsyncIterable<Uint8Array>;
}

/** Converts an authenticated HTTP request to an ApiRequest. Throws an ApiError for a malformed path. */
export function toApiRequest(parts: HttpParts, user: Subject, signal: AbortSignal): ApiRequest {
  const { path, query } = splitUrl(parts.url);
  let body: Promise<Uint8Array> | undefined;
  return {
    method: parts.method,
    path,
    query,
    user,
    signal,
    header: (name) => firstValue(parts, name),
    headersUnder: (prefix) =>
      Object.entries(parts.headers).flatMap(([name, value]): (readonly [string, string])[] =>
        name.startsWith(prefix) ? [[name, typeof value === "object" ? value.join(",") : (value ?? "")]] : [],
      ),
    body: () => (body ??= readBytes(parts)),
  };
}

/** The value of a header by its lower-case name; the first of several. */
export function firstValue({ headers }: Pick<HttpParts, "headers">, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value[0] : value;
}

function splitUrl(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = url.indexOf("?");
  const rawPath = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
  try {
    return { path: decodeURIComponent(rawPath), query };
  } catch (reason) {
    if (!(reason instanceof URIError)) throw reason;
    throw badRequest("the path of the request is not well-formed");
  }
}

async function readBytes(parts: HttpParts): Promise<Uint8Array> {
  if (Number(firstValue(parts, "content-length") ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of parts.body()) {
    length += chunk.length;
    if (length > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

function tooLarge(): ApiError {
  return new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${maxBodyBytes}`);
}
