// SPDX-License-Identifier: Apache-2.0
// API servers for tests: real TLS and HTTP/2 on loopback, with answers that the test defines.

import type { RequestListener } from "node:http";
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { createServer as createHttp1Server } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { systemClock } from "../../../base/time/system-clock.ts";
import { createTestAuthority, type TestAuthority, type TestIdentity } from "./certificates.ts";

/** One CA for all tests in a file: key generation takes time. */
export const testAuthority: TestAuthority = createTestAuthority(systemClock.wallMs());
/** A certificate for loopback and a name that is looked up by the test. */
export const testIdentity: TestIdentity = testAuthority.issueServer(["127.0.0.1", "localhost", "api.test"]);

/** Answers one request. */
export type Respond = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** A listener on loopback and everything that is open on it. */
export interface TestListener extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Connections accepted until now. */
  readonly acceptedCount: number;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
}

/** A server that speaks HTTP. */
export interface TestServer extends TestListener {
  readonly sessions: ReadonlySet<ServerHttp2Session>;
}

/** Listens on a free port of loopback; disposing ends every connection. */
export async function listen(server: Server): Promise<TestListener> {
  const sockets = new Set<Socket>();
  let acceptedCount = 0;
  server.on("connection", (socket: Socket) => {
    acceptedCount += 1;
    sockets.add(socket);
    socket.on("error", () => undefined); // failures of the client's connection are the client's test
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    get acceptedCount() {
      return acceptedCount;
    },
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** How a server differs from one that speaks HTTP/2 with the usual certificate. */
export interface TestServerOptions {
  readonly identity?: TestIdentity;
  /** HTTP/1.1 alone. */
  readonly isHttp1?: boolean;
  /** Asks for a client certificate of the test's CA. */
  readonly asksForCertificate?: boolean;
  readonly maxConcurrentStreams?: number;
}

/** A server that answers each request by `respond`. */
export async function startTestServer(respond: Respond, options: TestServerOptions = {}): Promise<TestServer> {
  const { identity = testIdentity, isHttp1 = false, asksForCertificate = false, maxConcurrentStreams } = options;
  const secure = {
    cert: identity.certificate,
    key: identity.key,
    ...(asksForCertificate ? { requestCert: true, rejectUnauthorized: true, ca: testAuthority.ca } : {}),
  };
  if (isHttp1) {
    // The compatible part of the two interfaces is all that tests use.
    const http1 = createHttp1Server(secure, respond as unknown as RequestListener);
    return Object.assign(await listen(http1), { sessions: new Set<ServerHttp2Session>() });
  }
  const server = createSecureServer({
    ...secure,
    ...(maxConcurrentStreams === undefined ? {} : { settings: { maxConcurrentStreams } }),
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined); // as above
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream) => stream.on("error", () => undefined));
  server.on("request", respond);
  return Object.assign(await listen(server), { sessions });
}

/** A listener that accepts connections and never answers. */
export function startBlackHole(): Promise<TestListener> {
  return listen(createServer((socket) => socket.resume()));
}

/** A listener that resets each connection at once. */
export function startResetter(): Promise<TestListener> {
  return listen(createServer((socket) => socket.resetAndDestroy()));
}

/** Answers with JSON. */
export function answerJson(
  response: Http2ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a Status, as an API server does when it refuses. */
export function answerStatus(
  response: Http2ServerResponse,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  answerJson(response, code, { kind: "Status", apiVersion: "v1", status: "Failure", message, code }, headers);
}
