// SPDX-License-Identifier: Apache-2.0
import { connect } from "node:http2";
import { connect as tlsConnect } from "node:tls";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import type { Route } from "../../src/rpc/http/route.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { type Got, httpGet } from "../../src/rpc/testing/http-get.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";

const text = "text/plain; charset=utf-8";
const routes: readonly Route[] = [
  {
    path: "/livez",
    access: { kind: "public", because: "probes carry no token" },
    isQuiet: true,
    handler: () => ({ status: 200, contentType: text, body: "ok" }),
  },
  {
    path: "/readyz",
    access: { kind: "public", because: "probes carry no token" },
    handler: () => ({ status: 503, contentType: text, body: "store is away" }),
  },
  {
    path: "/metrics",
    access: { kind: "nonResource", verb: "get", path: "/metrics" },
    handler: ({ caller }) => ({ status: 200, contentType: text, body: `for ${caller?.subject.user}` }),
  },
  {
    path: "/files/",
    match: "prefix",
    access: { kind: "authenticated" },
    handler: ({ path, query }) => ({ status: 200, contentType: text, body: `${path} ${query.get("q")}` }),
  },
  {
    path: "/broken",
    access: { kind: "authenticated" },
    handler: () => {
      throw new FlotillaError("CONFLICT", "somebody was faster");
    },
  },
  {
    path: "/bug",
    access: { kind: "authenticated" },
    handler: () => {
      throw new TypeError("password is hunter2");
    },
  },
];

const asRoot = { authorization: "Bearer root" };

describe("[RP19] Host", () => {
  test.each([
    ["evil.example", 421],
    ["evil.example:7080", 421],
    ["localhost.evil.example", 421],
    ["127.0.0.1.nip.io", 421],
    [":7080", 400],
    ["localhost@evil.example", 400],
    ["localhost", 200],
    ["LOCALHOST:1", 200],
    ["127.0.0.1", 200],
    ["[::1]:7443", 200],
    ["hub.example", 200],
    ["hub.example.", 200],
  ])("%s gets %i", async (host, status) => {
    await using hub = await openTestHub({ routes, hostNames: ["hub.example"] });
    const got = await httpGet(hub, "/livez", { host });
    expect(got.status).toBe(status);
    expect(got.body.includes("is not a name of this hub; add it to the hub's host names")).toBe(status === 421);
  });

  test("is checked for RPCs and over HTTP/2 too, before anything else", async () => {
    await using hub = await openTestHub({ services: [echoEntry({ anybody: () => "" })] });
    const session = connect(hub.url, { ca: hub.ca });
    const stream = session.request({
      ":authority": "evil.example",
      ":method": "POST",
      ":path": "/flotilla.test.v1.EchoService/Anybody",
      "content-type": "application/json",
      ...asRoot,
    });
    stream.end('""');
    const status = await new Promise((resolve) => stream.once("response", (headers) => resolve(headers[":status"])));
    expect(status).toBe(421);
    session.destroy();
    await hub.log.next(({ message }) => message === "request served");
    expect(hub.metrics.value('flotilla_rpc_requests_total{method="other",code="http_421"}')).toBe(1);
  });
});

describe("[RP20] Origin", () => {
  const post = (hub: TestHub, origin: string): Promise<Got> =>
    httpGet(
      hub,
      "/flotilla.test.v1.EchoService/Anybody",
      { ...asRoot, "content-type": "application/json", origin, host: "localhost:7080" },
      "POST",
    );

  test.each([
    "https://evil.example",
    "null",
    "http://localhost:3000",
    "http://localhost",
    "http://localhost:7080.evil.example",
  ])("%s may not call an unsafe method", async (origin) => {
    await using hub = await openTestHub({ services: [echoEntry({ anybody: () => "" })] });
    const got = await post(hub, origin);
    expect(got.status).toBe(403);
    expect(JSON.parse(got.body)).toMatchObject({
      code: "PERMISSION_DENIED",
      message: "a page of another origin may not call this hub",
    });
  });

  test("of the hub itself, of a configured site, or none at all passes; a safe method passes from anywhere", async () => {
    await using hub = await openTestHub({
      services: [echoEntry({ anybody: () => "" })],
      routes,
      origins: ["https://console.example"],
    });
    // 400: it reached the method, which wants a JSON body.
    expect((await post(hub, "http://localhost:7080")).status).toBe(400);
    expect((await post(hub, "https://console.example")).status).toBe(400);
    expect((await httpGet(hub, "/livez", { origin: "https://evil.example" })).status).toBe(200);
  });
});

describe("[RP22] routes", () => {
  test("that are public answer without a token and tell the truth", async () => {
    await using hub = await openTestHub({ routes });
    expect(await httpGet(hub, "/livez")).toMatchObject({ status: 200, body: "ok" });
    expect(await httpGet(hub, "/readyz")).toMatchObject({ status: 503, body: "store is away" });
    expect(await httpGet(hub, "/livez", {}, "HEAD")).toMatchObject({ status: 200, body: "" });
  });

  test("that are not public need a token, and /metrics the right to get it", async () => {
    await using hub = await openTestHub({ routes });
    const anonymous = await httpGet(hub, "/metrics");
    expect(anonymous).toMatchObject({ status: 401, headers: { "www-authenticate": 'Bearer realm="flotilla"' } });
    const denied = await httpGet(hub, "/metrics", { authorization: "Bearer nobody" });
    expect(denied.status).toBe(403);
    expect(JSON.parse(denied.body)).toMatchObject({
      code: "PERMISSION_DENIED",
      message: expect.stringContaining('user "nobody" may not get /metrics;') as unknown,
    });
    expect(await httpGet(hub, "/metrics", asRoot)).toMatchObject({ status: 200, body: "for root" });
    expect((await httpGet(hub, "/files/a")).status).toBe(401);
    expect(await httpGet(hub, "/files/a/b?q=1", { authorization: "Bearer nobody" })).toMatchObject({
      body: "/files/a/b 1",
    });
  });

  test("answer failures as JSON by the table of errors, and unforeseen ones with the request id only", async () => {
    await using hub = await openTestHub({ routes });
    const conflict = await httpGet(hub, "/broken", asRoot);
    expect(conflict.status).toBe(409);
    expect(JSON.parse(conflict.body)).toMatchObject({ code: "CONFLICT", message: "somebody was faster" });
    const bug = await httpGet(hub, "/bug", { ...asRoot, "x-request-id": "r1" });
    expect(bug.status).toBe(500);
    expect(bug.body).not.toContain("hunter2");
    expect(JSON.parse(bug.body)).toMatchObject({ code: "INTERNAL", requestId: "r1" });
  });

  test("[RP23] that do not exist get 404, other methods 405, both as one sentence", async () => {
    await using hub = await openTestHub({ routes });
    for (const path of ["/", "/nothing", "/livez/", "/livez/..", "//livez", "/flotilla.test.v1.EchoService/Nothing"]) {
      const got = await httpGet(hub, path, asRoot);
      expect([path, got.status]).toEqual([path, 404]);
      expect(JSON.parse(got.body)).toMatchObject({ code: "NOT_FOUND", message: "nothing is served at this path" });
    }
    const posted = await httpGet(hub, "/livez", {}, "POST");
    expect(posted).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });
});

test("[RP21] every answer carries the security headers, whatever it is", async () => {
  await using hub = await openTestHub({ routes, services: [echoEntry({ anybody: () => "" })] });
  const answers = [
    await httpGet(hub, "/livez"),
    await httpGet(hub, "/nothing"),
    await httpGet(hub, "/livez", { host: "evil.example" }),
    await httpGet(hub, "/flotilla.test.v1.EchoService/Anybody", { "content-type": "application/json" }, "POST"),
  ];
  expect(answers.map((answer) => answer.status)).toEqual([200, 404, 421, 401]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    });
    expect(headers["content-type"]).not.toContain("html");
  }
});

test("[RP21][RP48] a route that answers HTML all the same is stopped, and nothing of the page is sent", async () => {
  const page: Route = {
    path: "/page",
    access: { kind: "public", because: "test" },
    handler: () => ({ status: 200, contentType: "text/html" as "application/json", body: "<script>steal()</script>" }),
  };
  await using hub = await openTestHub({ routes: [page] });
  const got = await httpGet(hub, "/page");
  expect(got.status).toBe(500);
  expect(got.headers["content-type"]).toBe("application/json");
  expect(got.body).not.toContain("script");
});

describe("[RP18] the request id", () => {
  test("of the caller is kept if it is sane, else replaced; every answer and line has it", async () => {
    await using hub = await openTestHub({ routes });
    expect((await httpGet(hub, "/livez", { "x-request-id": "abc-123" })).headers["x-request-id"]).toBe("abc-123");
    for (const forged of ["a b", "x".repeat(129), "a\tb", "<script>"]) {
      const id = (await httpGet(hub, "/livez", { "x-request-id": forged })).headers["x-request-id"];
      expect(id).toMatch(/^req_[0-9a-z]{20}$/);
      await hub.log.next(({ fields }) => fields["requestId"] === id);
    }
  });
});

describe("[L14] an exception of our own code in a listener of a connection", () => {
  test("costs that connection, is logged and counted, and the hub serves on", async () => {
    const random = createSeededRandom("front");
    let isBroken = true;
    const failing = { ...random, bytes: (count: number) => (isBroken ? fail("no randomness") : random.bytes(count)) };
    await using hub = await openTestHub({
      routes,
      random: failing,
      onHandshakeFailed: () => fail("the listener of handshakes"),
    });
    await expect(httpGet(hub, "/livez")).rejects.toThrow(/socket hang up|ECONNRESET/);
    const url = new URL(hub.url);
    // A client without the hub's CA breaks the handshake off.
    const stranger = tlsConnect({ host: url.hostname, port: Number(url.port), servername: "localhost" });
    stranger.on("error", () => undefined);
    const tasks = ["request", "broken handshake"];
    for (const task of tasks) {
      const line = await hub.log.next(({ fields }) => fields["task"] === task);
      expect([line.level, line.error]).toMatchObject(["error", expect.any(TypeError)]);
      expect(hub.metrics.value(`flotilla_task_failures_total{task="${task}"}`)).toBe(1);
    }
    isBroken = false;
    expect(await httpGet(hub, "/livez")).toMatchObject({ status: 200, body: "ok" });
  });
});

function fail(why: string): never {
  throw new TypeError(why);
}
