// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import { type HttpRequest, type HttpResponse, headerOf } from "../../rpc/http-types.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { ApiError, badRequest } from "../status/api-error.ts";

/** The longest body: Kubernetes' own limit, which etcd's is the reason for. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** The request in the form that the server takes, of an authenticated user. Throws an ApiError for a path that is not well-formed. */
export function toApiRequest(
  { request, response }: { readonly request: HttpRequest; readonly response: HttpResponse },
  user: Subject,
  signal: AbortSignal,
): ApiRequest {
  const { path, query } = splitUrl(request.url ?? "/");
  let body: Promise<Uint8Array> | undefined;
  return {
    method: request.method ?? "GET",
    path,
    query,
    user,
    signal,
    header: (name) => headerOf(request, name) ?? joined(request, name),
    headersUnder: (prefix) =>
      Object.entries(request.headers).flatMap(([name, value]): (readonly [string, string])[] =>
        name.startsWith(prefix) ? [[name, Array.isArray(value) ? value.join(",") : (value ?? "")]] : [],
      ),
    body: () => (body ??= readBytes(request, response)),
  };
}

function joined(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
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

async function readBytes(request: HttpRequest, response: HttpResponse): Promise<Uint8Array> {
  const announced = Number(headerOf(request, "content-length") ?? 0);
  if (announced > maxBodyBytes) throw tooLarge();
  // Asked for only now: a request refused before never sends its body.
  if (headerOf(request, "expect")?.toLowerCase() === "100-continue") response.writeContinue();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
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
