// SPDX-License-Identifier: Apache-2.0
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { TestHub } from "./test-hub.ts";

/** One answer over plain HTTP/1.1. */
export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request without a body on its own connection. Unlike `fetch` it can set any Host and Origin. */
export function httpGet(
  hub: TestHub,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${hub.plainUrl}${path}`, { method, headers, agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on("error", reject);
    request.end();
  });
}
