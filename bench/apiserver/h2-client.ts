// SPDX-License-Identifier: Apache-2.0
import { type ClientHttp2Session, connect } from "node:http2";
import type { AskConnection } from "./light-client.ts";
import type { BenchServer } from "./servers.ts";

/** That many requests in flight over one HTTP/2 connection, which is how client-go sends them all. */
export async function openStreams(server: BenchServer, count: number): Promise<readonly AskConnection[]> {
  const session = connect(`https://127.0.0.1:${server.port}`, { ca: server.ca });
  await new Promise<void>((resolve, reject) => {
    session.once("connect", () => resolve());
    session.once("error", reject);
  });
  const authorization = `Bearer ${server.token}`;
  return Array.from({ length: count }, () => ({
    ask: (method: string, path: string, body = "") => askOn(session, { method, path, body, authorization }),
    close: () => session.destroy(),
  }));
}

interface H2Request {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly authorization: string;
}

function askOn(session: ClientHttp2Session, { method, path, body, authorization }: H2Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": method,
      ":path": path,
      authorization,
      "content-type": "application/json",
    });
    let status = 0;
    const chunks: Buffer[] = [];
    stream.on("response", (headers) => {
      status = headers[":status"] ?? 0;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("error", reject);
    stream.once("end", () => {
      if (status >= 200 && status < 300) resolve();
      else reject(new Error(`${method} ${path} was answered ${Buffer.concat(chunks).toString("utf8")}`));
    });
    stream.end(body);
  });
}
