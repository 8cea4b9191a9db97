// SPDX-License-Identifier: Apache-2.0
// Readers of streaming routes, each on its own connection: HTTP/1.1 like a browser on the plain port, HTTP/2 over TLS.
import { request as requestHttp1 } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { Readable } from "node:stream";
import type { TestHub } from "./test-hub.ts";

/** The versions that a route is served over. */
export const httpVersions = ["HTTP/1.1", "HTTP/2"] as const;

export type HttpVersion = (typeof httpVersions)[number];

export interface EventReader extends Disposable {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The text read so far. */
  text(): string;
  /** Resolves with the text once `fits` returns true. */
  until(fits: (text: string) => boolean): Promise<string>;
  /** Whether the response was complete or broken off. */
  readonly ended: Promise<"ended" | "broken">;
  /** Stops reading; bytes that the hub then sends fill the buffers. */
  pause(): void;
  resume(): void;
}

export interface EventReaderOptions {
  readonly version?: HttpVersion;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True to read nothing before `resume`. */
  readonly isPaused?: boolean;
}

/**
 * Requests a path as `root`, unless the headers name another user. Resolves when the response's headers have arrived.
 */
export async function openEventReader(
  hub: TestHub,
  path: string,
  options: EventReaderOptions = {},
): Promise<EventReader> {
  const headers = { accept: "text/event-stream", authorization: "Bearer root", ...options.headers };
  const { version = "HTTP/1.1", method = "GET" } = options;
  const open = version === "HTTP/2" ? openHttp2 : openHttp1;
  return toReader(await open(hub, path, { method, headers }), options.isPaused ?? false);
}

interface Ask {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Opened {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readable;
  /** Whether the response was complete. */
  readonly isComplete: () => boolean;
  readonly close: () => void;
}

function openHttp1(hub: TestHub, path: string, { method, headers }: Ask): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const request = requestHttp1(`${hub.plainUrl}${path}`, { method, headers, agent: false }, (body) => {
      const { statusCode: status = 0 } = body;
      resolve({
        status,
        headers: body.headers,
        body,
        isComplete: () => body.complete,
        close: () => body.destroy(),
      });
    });
    request.on("error", reject); // no effect after the response began; the body reports errors then
    request.end();
  });
}

function openHttp2(hub: TestHub, path: string, { method, headers }: Ask): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(hub.url, { ca: hub.ca });
    session.on("error", reject);
    const body = session.request({ ":method": method, ":path": path, ...headers });
    body.on("error", reject);
    body.once("close", () => session.close());
    body.once("response", (answer) => {
      resolve({
        status: answer[":status"] ?? 0,
        headers: answer,
        body,
        isComplete: () => body.readableEnded && body.rstCode === 0,
        close: () => session.destroy(),
      });
    });
  });
}

function toReader({ status, headers, body, isComplete, close }: Opened, isPaused: boolean): EventReader {
  let text = "";
  const checks = new Set<() => void>();
  const { promise: ended, resolve } = Promise.withResolvers<"ended" | "broken">();
  body.setEncoding("utf8");
  body.on("error", () => undefined); // the `close` event follows
  body.once("close", () => resolve(isComplete() ? "ended" : "broken"));
  body.on("data", (chunk: string) => {
    text += chunk;
    for (const check of checks) check();
  });
  if (isPaused) body.pause();
  return {
    status,
    headers,
    ended,
    text: () => text,
    until(fits) {
      return new Promise((found) => {
        const check = (): void => {
          if (!fits(text)) return;
          checks.delete(check);
          found(text);
        };
        checks.add(check);
        check();
      });
    },
    pause: () => void body.pause(),
    resume: () => void body.resume(),
    [Symbol.dispose]: close,
  };
}
