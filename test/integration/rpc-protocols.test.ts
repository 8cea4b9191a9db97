// SPDX-License-Identifier: Apache-2.0
import { connect } from "node:http2";
import { createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { serviceEntry } from "../../src/rpc/server/connect-router.ts";
import { callMethod, textsOf } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { echoMethod } from "../../src/rpc/testing/echo-service.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";

const asRoot: Interceptor = (next) => (request) => {
  request.header.set("authorization", "Bearer root");
  return next(request);
};

/** Every protocol over every HTTP version it is made for. */
const protocols: readonly [string, (hub: TestHub) => { transport: Transport; close: () => void }][] = [
  ["gRPC over HTTP/2", (hub) => overHttp2(hub, (options) => createGrpcTransport(options))],
  [
    "gRPC-Web over HTTP/2",
    (hub) => overHttp2(hub, (options) => createGrpcWebTransport({ ...options, httpVersion: "2" })),
  ],
  [
    "Connect over HTTP/2",
    (hub) => overHttp2(hub, (options) => createConnectTransport({ ...options, httpVersion: "2" })),
  ],
  [
    "Connect JSON over HTTP/2",
    (hub) =>
      overHttp2(hub, (options) => createConnectTransport({ ...options, httpVersion: "2", useBinaryFormat: false })),
  ],
  [
    "Connect GET over HTTP/2",
    (hub) => overHttp2(hub, (options) => createConnectTransport({ ...options, httpVersion: "2", useHttpGet: true })),
  ],
  [
    "Connect with gzip over HTTP/2",
    (hub) =>
      overHttp2(hub, (options) =>
        createConnectTransport({ ...options, httpVersion: "2", sendCompression: compressionGzip, compressMinBytes: 1 }),
      ),
  ],
  [
    "Connect over HTTP/1.1 with TLS",
    (hub) => overHttp1(hub.url, (options) => createConnectTransport({ ...options, nodeOptions: { ca: hub.ca } })),
  ],
  ["Connect over plain HTTP/1.1", (hub) => overHttp1(hub.plainUrl, createConnectTransport)],
  ["gRPC-Web over plain HTTP/1.1", (hub) => overHttp1(hub.plainUrl, createGrpcWebTransport)],
];

function overHttp2(
  hub: TestHub,
  make: (options: { baseUrl: string; sessionManager: Http2SessionManager; interceptors: Interceptor[] }) => Transport,
): { transport: Transport; close: () => void } {
  const sessionManager = new Http2SessionManager(hub.url, {}, { ca: hub.ca });
  const transport = make({ baseUrl: hub.url, sessionManager, interceptors: [asRoot] });
  return { transport, close: () => sessionManager.abort() };
}

function overHttp1(
  baseUrl: string,
  make: (options: { baseUrl: string; httpVersion: "1.1"; interceptors: Interceptor[] }) => Transport,
): { transport: Transport; close: () => void } {
  return { transport: make({ baseUrl, httpVersion: "1.1", interceptors: [asRoot] }), close: () => undefined };
}

const longText = "x".repeat(100_000);

function openEchoHub(): Promise<TestHub> {
  return openTestHub({
    services: [
      echoEntry({
        echo(text) {
          if (text === "gone") throw new FlotillaError("GONE", "list again", { ids: { cluster: "c1", revision: 7 } });
          return `${text}!`;
        },
        async *watch(text) {
          yield `${text} 1`;
          yield `${text} 2`;
          if (text === "gone") throw new FlotillaError("GONE", "list again", { ids: { cluster: "c1", revision: 7 } });
        },
      }),
      serviceEntry(TokenService, { listTokens: () => ({ cursor: "c" }) }),
    ],
  });
}

describe.each(protocols)("[RP24] %s", (_name, open) => {
  test("answers, streams, and carries failures", async () => {
    await using hub = await openEchoHub();
    const { transport, close } = open(hub);
    try {
      expect(textsOf(await callMethod(transport, echoMethod("Echo"), { text: longText }))).toEqual([`${longText}!`]);
      expect(textsOf(await callMethod(transport, echoMethod("Watch"), { text: "tick" }))).toEqual(["tick 1", "tick 2"]);
      expect((await createClient(TokenService, transport).listTokens({})).cursor).toBe("c");
      for (const name of ["Echo", "Watch"]) {
        const failed = callMethod(transport, echoMethod(name), { text: "gone" });
        await expect(failed).rejects.toMatchObject({ rawMessage: "list again", code: 11 });
      }
      const unknown = callMethod(transport, echoMethod("Collect"), { text: "" });
      await expect(unknown).rejects.toMatchObject({ code: 12 });
    } finally {
      close();
    }
  });
});

test("[RP24] plain JSON by POST works without any client library", async () => {
  await using hub = await openEchoHub();
  const answer = await fetch(`${hub.plainUrl}/flotilla.test.v1.EchoService/Echo`, {
    method: "POST",
    headers: { authorization: "Bearer root", "content-type": "application/json", "x-request-id": "by-hand" },
    body: '"hello"',
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toBe("hello!");
  expect(answer.headers.get("x-request-id")).toBe("by-hand");
});

test("[RP27] plain JSON without a token gets 401, a challenge and one sentence", async () => {
  await using hub = await openEchoHub();
  const answer = await fetch(`${hub.plainUrl}/flotilla.test.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '"hello"',
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="flotilla"');
  expect(await answer.json()).toMatchObject({
    code: "unauthenticated",
    message: "no token was sent; send it as Authorization: Bearer TOKEN",
  });
});

test("[RP24] client and bidirectional streams run over HTTP/2", async () => {
  await using hub = await openTestHub({
    services: [
      echoEntry({
        collect: async (texts) => (await Array.fromAsync(texts)).join("+"),
        async *chat(texts) {
          for await (const text of texts) yield `${text}?`;
        },
      }),
    ],
  });
  const transport = hub.transport("root");
  expect(textsOf(await callMethod(transport, echoMethod("Collect"), { text: "a" }))).toEqual(["a"]);
  expect(textsOf(await callMethod(transport, echoMethod("Chat"), { text: "b" }))).toEqual(["b?"]);
});

test("[RP1] one TLS port speaks HTTP/2 to those who offer it and HTTP/1.1 to the others", async () => {
  await using hub = await openEchoHub();
  const session = connect(hub.url, { ca: hub.ca });
  const protocol = await new Promise((resolve) => session.once("connect", () => resolve(session.alpnProtocol)));
  session.close();
  expect(protocol).toBe("h2");
});
