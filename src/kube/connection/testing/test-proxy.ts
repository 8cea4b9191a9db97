// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { listen, type TestListener, testIdentity } from "./test-server.ts";

/** A proxy that resolves every name to loopback. */
export interface TestProxy extends TestListener {
  /** The requested authorities, as `host:port`. */
  readonly authorities: readonly string[];
}

/** Starts a proxy that supports only CONNECT. `password` is `user:password`, without which it answers 407. */
export async function startTestProxy(options: {
  readonly isSecure?: boolean;
  readonly password?: string;
}): Promise<TestProxy> {
  const { isSecure = false, password } = options;
  const server = isSecure
    ? createSecureServer({ cert: testIdentity.certificate, key: testIdentity.key })
    : createServer();
  const authorities: string[] = [];
  const wanted = password === undefined ? undefined : `Basic ${Buffer.from(password).toString("base64")}`;
  server.on("connect", (request: IncomingMessage, near: Duplex) => {
    near.on("error", () => undefined); // failures of the client's connection are the client's test
    if (wanted !== undefined && request.headers["proxy-authorization"] !== wanted) {
      near.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const authority = request.url ?? "";
    authorities.push(authority);
    const far = connect({ host: "127.0.0.1", port: Number(/:(\d+)$/.exec(authority)?.[1]) });
    far.once("connect", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      far.pipe(near).pipe(far);
    });
    far.on("error", () => near.destroy());
    near.once("close", () => far.destroy());
  });
  return Object.assign(await listen(server), { authorities });
}
