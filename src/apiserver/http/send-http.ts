// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { ServerResponse } from "node:http";
import type { HttpResponse } from "../../rpc/http/http-types.ts";
import type { ApiResponse } from "../request/api-request.ts";

/** Maximum number and length of warnings: kube-apiserver's limits, which keep headers small. */
const maxWarningCount = 64;
const maxWarningLength = 256;

/**
 * Sends the response. Resolves when its last chunk is handed over. An aborted signal ends a stream: the promise then
 * resolves or rejects with an AbortError.
 */
export async function sendResponse(response: HttpResponse, answer: ApiResponse, signal: AbortSignal): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answerHeaders(answer)) response.setHeader(name, value);
  const { body } = answer;
  if (body instanceof Uint8Array) {
    response.setHeader("content-length", body.length);
    response.end(body);
    return;
  }
  await sendStream(response, body, signal);
}

/** The headers of a response in lower case, except its length. */
export function answerHeaders(answer: ApiResponse): readonly (readonly [string, string | string[]])[] {
  const warnings = (answer.warnings ?? []).slice(0, maxWarningCount);
  const headers = new Map<string, string | string[]>([
    ["cache-control", "no-cache, private"], // unless the response sets its own
    ...(answer.contentType === undefined ? [] : [["content-type", answer.contentType] as const]),
    ...Object.entries(answer.headers ?? {}),
    ...(warnings.length === 0 ? [] : [["warning", warnings.map(toWarning)] as const]),
  ]);
  return [...headers];
}

/** Waits for the write buffer to drain before the next chunk. A slow client delays only its own stream. */
async function sendStream(
  response: HttpResponse,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  if ("flushHeaders" in response) response.flushHeaders();
  for await (const chunk of chunks) {
    if (signal.aborted) return;
    if (!writeChunk(response, chunk)) await once(response, "drain", { signal });
  }
  response.end();
}

function writeChunk(response: HttpResponse, chunk: Uint8Array): boolean {
  // Both types of response have `write`; the union of their overloads cannot be called.
  return response instanceof ServerResponse ? response.write(chunk) : response.write(chunk);
}

function toWarning(text: string): string {
  const cut = text.slice(0, maxWarningLength).replaceAll(/[^\u0020-\u007e]/g, " ");
  return `299 - ${JSON.stringify(cut)}`;
}
