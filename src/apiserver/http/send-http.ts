// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { ServerResponse } from "node:http";
import type { HttpResponse } from "../../rpc/http-types.ts";
import type { ApiResponse } from "../request/api-request.ts";

/** Warnings that one answer carries at the most, and their length: the real server's bounds, so that headers stay small. */
const maxWarningCount = 64;
const maxWarningLength = 256;

/** Sends the answer. Resolves when all of it was handed over, or the client has gone. */
export async function sendResponse(response: HttpResponse, answer: ApiResponse, signal: AbortSignal): Promise<void> {
  response.statusCode = answer.status;
  // Nothing may keep an answer, unless it says so itself.
  response.setHeader("cache-control", "no-cache, private");
  if (answer.contentType !== undefined) response.setHeader("content-type", answer.contentType);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  const warnings = (answer.warnings ?? []).slice(0, maxWarningCount);
  if (warnings.length > 0) response.setHeader("warning", warnings.map(toWarning));
  const { body } = answer;
  if (body instanceof Uint8Array) {
    response.setHeader("content-length", body.length);
    response.end(body);
    return;
  }
  await sendStream(response, body, signal);
}

/** Each chunk waits until the client has taken the one before: a slow client holds back its own stream and nothing else. */
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
  // Both kinds of response have this method; the union of their overloads cannot be called.
  return response instanceof ServerResponse ? response.write(chunk) : response.write(chunk);
}

function toWarning(text: string): string {
  const cut = text.slice(0, maxWarningLength).replaceAll(/[^\u0020-\u007e]/g, " ");
  return `299 - ${JSON.stringify(cut)}`;
}
