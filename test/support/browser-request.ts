// SPDX-License-Identifier: Apache-2.0
// Requests as a browser sends them: with the headers that no script may set, and with cookies.
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface BrowserRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Certificates to trust, for `https:`. */
  readonly ca?: string;
}

/** Sends one request on a connection of its own; resolves with its answer as soon as the headers are there. */
export function openAnswer(
  url: string,
  { method = "GET", headers = {}, body, ca }: BrowserRequest = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, ...(ca === undefined ? {} : { ca }) };
    const request = url.startsWith("https:") ? httpsRequest(url, options, resolve) : httpRequest(url, options, resolve);
    request.on("error", reject);
    request.end(body);
  });
}

/** Sends one request and waits for its whole answer. */
export async function browserRequest(url: string, request: BrowserRequest = {}): Promise<BrowserAnswer> {
  const answer = await openAnswer(url, request);
  let body = "";
  for await (const chunk of answer.setEncoding("utf8") as AsyncIterable<string>) body += chunk;
  return { status: answer.statusCode ?? 0, headers: answer.headers, body };
}

/** Calls a unary method in JSON, as the page does. */
export function callJson(
  baseUrl: string,
  method: string,
  message: object,
  request: Omit<BrowserRequest, "method" | "body"> = {},
): Promise<BrowserAnswer> {
  const headers = { "content-type": "application/json", ...request.headers };
  return browserRequest(`${baseUrl}/${method}`, { ...request, method: "POST", headers, body: JSON.stringify(message) });
}
