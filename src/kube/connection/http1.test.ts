// SPDX-License-Identifier: Apache-2.0
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { anonymousUser } from "../credentials/cluster-access.ts";
import { ask, failureOf, get, neverAborted, openTestConnection, readText, testAccess } from "./testing/test-access.ts";
import { answerJson, answerStatus, listen, startTestServer } from "./testing/test-server.ts";

const isHttp1 = true;

test("[KU1] where ALPN gives no h2 requests go over HTTP/1.1, and a connection is kept for the next", async () => {
  const versions = new Set<string>();
  await using server = await startTestServer(
    (request, response) => {
      versions.add(`${request.httpVersion} ${request.headers.host} ${request.headers.authorization}`);
      answerJson(response, 200, {});
    },
    { isHttp1 },
  );
  await using connection = openTestConnection(testAccess(server.url, { user: { ...anonymousUser, token: "t" } }));
  for (let count = 0; count < 5; count += 1) expect(await ask(connection, "/api")).toBe("{}");
  expect([...versions]).toEqual([`1.1 127.0.0.1:${server.port} Bearer t`]);
  expect(server.acceptedCount).toBe(1);
});

test("[KU1] over HTTP/1.1 each request under way has a connection of its own, so that a watch holds up nothing", async () => {
  await using server = await startTestServer(
    (request, response) => {
      if (request.url === "/watch") response.writeHead(200).write("{}\n");
      else answerJson(response, 200, {});
    },
    { isHttp1 },
  );
  await using connection = openTestConnection(testAccess(server.url));
  const stop = new AbortController();
  await Promise.all(Array.from({ length: 3 }, () => connection.request(get("/watch", { isWatch: true }), stop.signal)));
  expect(await ask(connection, "/api")).toBe("{}");
  expect(server.acceptedCount).toBe(4);
  stop.abort(new Error("done"));
});

test("an idle connection that the server has closed costs a GET nothing", async () => {
  await using server = await startTestServer((_request, response) => answerJson(response, 200, {}), { isHttp1 });
  await using connection = openTestConnection(testAccess(server.url));
  expect(await ask(connection, "/api")).toBe("{}");
  for (const socket of server.sockets) socket.resetAndDestroy();
  expect(await ask(connection, "/api")).toBe("{}");
  expect(server.acceptedCount).toBe(2);
});

test("refusals, dead servers and bodies are as over HTTP/2", async () => {
  const server = await startTestServer(
    (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        if (request.method === "PUT") answerJson(response, 200, { body });
        else answerStatus(response, 404, "no such thing");
      });
    },
    { isHttp1 },
  );
  await using connection = openTestConnection(testAccess(server.url));
  expect(await ask(connection, "/a", { method: "PUT", body: new TextEncoder().encode("ä") })).toBe('{"body":"ä"}');
  const refused = await failureOf(ask(connection, "/b"));
  expect(refused).toMatchObject({ fault: "notFound", message: "GET /b of test was answered 404: no such thing" });
  await server[Symbol.asyncDispose]();
  expect(await failureOf(ask(connection, "/c"))).toMatchObject({ fault: "tcp" });
});

test("a server without TLS is spoken to as kubectl does", async () => {
  const respond = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200).end("ok");
  };
  await using listener = await listen(createServer(respond));
  const access = testAccess(`http://127.0.0.1:${listener.port}`, { certificateAuthority: undefined });
  await using connection = openTestConnection(access);
  expect(await readText(await connection.request(get("/livez"), neverAborted))).toBe("ok");
});
