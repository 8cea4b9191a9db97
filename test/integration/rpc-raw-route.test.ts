// SPDX-License-Identifier: Apache-2.0
// Whole protocols below a path of a hub's listener: the Kubernetes API as the hub may mount it, and connections that
// leave HTTP.
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiRoute } from "../../src/apiserver/http/api-route.ts";
import { ManualClock, settle } from "../../src/base/testing/manual-clock.ts";
import { createSubject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import type { RawHandler, RawRoute } from "../../src/rpc/http/raw-route.ts";
import { defaultListenerLimits } from "../../src/rpc/listener/listener-limits.ts";
import { advanceUntil } from "../../src/rpc/testing/advance.ts";
import { httpVersions, openEventReader } from "../../src/rpc/testing/event-reader.ts";
import { httpGet } from "../../src/rpc/testing/http-get.ts";
import { connectPlain, connectSecure, type RawPeer } from "../../src/rpc/testing/raw-peer.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";
import { eventTexts } from "../support/api-storage.ts";
import { WatchClient } from "../support/api-watch-client.ts";

const token = "kube-token";
const namespaces = "/clusters/root/api/v1/namespaces";

let api: TestApiServer;

beforeAll(async () => {
  api = await startApiServer(new Map([[token, createSubject({ user: "admin", groups: [mastersGroup] })]]));
});

afterAll(() => api.close());

/** A public handler below /raw/. */
function rawRoute(raw: RawHandler, parts: Partial<RawRoute> = {}): RawRoute {
  return { path: "/raw/", match: "prefix", access: { kind: "public", because: "test" }, raw, ...parts };
}

/** Sends back what it receives, after `hello`. */
const echo: RawHandler = (request) => {
  if (!request.isUpgrade) return Promise.resolve({ status: 426, headers: [], body: new Uint8Array() });
  return Promise.resolve({
    status: 101,
    headers: [["upgrade", "echo"]],
    async serve({ socket, head }) {
      socket.write(`hello ${request.caller?.subject.user ?? "stranger"} `);
      socket.write(head);
      socket.pipe(socket);
      await once(socket, "close");
    },
  });
};

const echoRoute = rawRoute(echo, { takesUpgrades: true, access: { kind: "authenticated" } });

function askUpgrade({ socket }: RawPeer, path: string, headers: readonly string[] = []): void {
  const lines = [`GET ${path} HTTP/1.1`, "host: localhost", "connection: Upgrade", "upgrade: echo", ...headers];
  socket.write(`${lines.join("\r\n")}\r\n\r\nfirst`);
}

const asRoot = "authorization: Bearer root";

describe("the Kubernetes API below a path of a hub", () => {
  let hub: TestHub;
  let client: KubeClient;

  beforeAll(async () => {
    hub = await openTestHub({ routes: [createApiRoute("/clusters/root/", api.server)] });
    client = new KubeClient({ url: hub.url, ca: hub.ca, token });
  });

  afterAll(async () => {
    client.close();
    await hub[Symbol.asyncDispose]();
  });

  test("[AP42] get, list, create and delete are answered as by a server of its own", async () => {
    await client.ask("POST", namespaces, { body: { metadata: { name: "made" } } });
    expect(await client.ask("GET", `${namespaces}/made`)).toMatchObject({
      kind: "Namespace",
      metadata: { name: "made" },
    });
    const own = new KubeClient({ url: api.url, ca: api.ca, token });
    expect(await client.send("GET", namespaces)).toEqual(await own.send("GET", "/api/v1/namespaces"));
    expect(await client.send("GET", "/clusters/root/apis")).toEqual(await own.send("GET", "/apis"));
    expect(await client.send("GET", `${namespaces}/none`)).toEqual(await own.send("GET", "/api/v1/namespaces/none"));
    own.close();
    await client.ask("DELETE", `${namespaces}/made`);
  });

  test("[AP42] a list over HTTP/2 has the hub's security headers and the API server's type", async () => {
    const session = connectHttp2(hub.url, { ca: hub.ca });
    const request = session.request({ ":path": namespaces, authorization: `Bearer ${token}` });
    const [headers] = (await once(request, "response")) as [Record<string, unknown>];
    expect(headers).toMatchObject({
      ":status": 200,
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "cache-control": "no-cache, private",
    });
    let text = "";
    for await (const chunk of request.setEncoding("utf8") as AsyncIterable<string>) text += chunk;
    expect(JSON.parse(text)).toMatchObject({ kind: "NamespaceList" });
    session.close();
  });

  test("[AP42] a watch is eventTexts changes as they come, and ends with the hub", async () => {
    const mounted = await openTestHub({ routes: [createApiRoute("/clusters/root/", api.server)] });
    const watch = await WatchClient.open(mounted, `${namespaces}?watch=true&resourceVersion=0`, token);
    const before = (await watch.untilTold(4)).length;
    await api.server.client.create("namespaces", { metadata: { name: "watched" } });
    await watch.untilTold(before + 1);
    expect(eventTexts(watch.events).at(-1)).toMatch(/^ADDED watched@/);
    await mounted[Symbol.asyncDispose]();
    await watch.ended;
  });

  test("[AP42] rights are those of the API server: no token is anonymous, a wrong one is refused with a Status", async () => {
    const status = { kind: "Status", apiVersion: "v1" };
    const anonymous = await httpGet(hub, namespaces);
    expect([anonymous.status, JSON.parse(anonymous.body)]).toMatchObject([403, { ...status, reason: "Forbidden" }]);
    const wrong = await httpGet(hub, namespaces, { authorization: "Bearer root" }); // the hub's token, unknown there
    expect([wrong.status, JSON.parse(wrong.body)]).toMatchObject([401, { ...status, reason: "Unauthorized" }]);
  });
});

describe("a raw route", () => {
  test.each(httpVersions)("[AP43] takes any method over %s and answers a stream", async (version) => {
    async function* pieces(method: string): AsyncIterable<Uint8Array> {
      yield Buffer.from(`${method} `);
      yield Buffer.from("end");
    }
    const route = rawRoute(({ method }) =>
      Promise.resolve({ status: 201, headers: [["content-type", "application/x-any"]], body: pieces(method) }),
    );
    await using hub = await openTestHub({ routes: [route] });
    using reader = await openEventReader(hub, "/raw/x", { version, method: "PATCH" });
    expect([reader.status, await reader.ended, reader.text()]).toEqual([201, "ended", "PATCH end"]);
  });

  test("[AP43] without the access it names is refused, and its handler is not called", async () => {
    let callCount = 0;
    const raw: RawHandler = () => {
      callCount += 1;
      return Promise.resolve({ status: 200, headers: [], body: new Uint8Array() });
    };
    const access = { kind: "nonResource", verb: "get", path: "/raw" } as const;
    await using hub = await openTestHub({ routes: [rawRoute(raw, { access })] });
    expect((await httpGet(hub, "/raw/x")).status).toBe(401);
    expect((await httpGet(hub, "/raw/x", { authorization: "Bearer nobody" })).status).toBe(403);
    expect(callCount).toBe(0);
    expect((await httpGet(hub, "/raw/x", { authorization: "Bearer root" }, "DELETE")).status).toBe(200);
  });

  test("[AP43, RP21] cannot answer a page, nor take a security header away", async () => {
    const headersOf: Readonly<Record<string, readonly [string, string]>> = {
      "/raw/page": ["content-type", "Text/HTML; charset=utf-8"],
      "/raw/xml": ["content-type", "application/xhtml+xml"],
      "/raw/policy": ["content-security-policy", "default-src *"],
    };
    const raw: RawHandler = ({ path }) =>
      Promise.resolve({ status: 200, headers: [headersOf[path] ?? ["etag", "x"]], body: Buffer.from("<b>") });
    await using hub = await openTestHub({ routes: [rawRoute(raw)] });
    for (const path of Object.keys(headersOf)) {
      const { status, headers } = await httpGet(hub, path);
      expect([status, headers["content-security-policy"]]).toEqual([500, expect.stringContaining("sandbox")]);
    }
    expect((await httpGet(hub, "/raw/other")).status).toBe(200);
  });

  test("[AP43, RP51] takes 64 KiB of a sender that is not authenticated, and any length of one that is", async () => {
    const raw: RawHandler = async (request) => {
      if (request.header("authorization") === "Bearer known to the handler") request.noteAuthenticated();
      let length = 0;
      for await (const chunk of request.body()) length += chunk.length;
      return { status: 200, headers: [["content-type", "text/plain"]], body: Buffer.from(`${length}`) };
    };
    await using hub = await openTestHub({ routes: [rawRoute(raw)] });
    const send = (bytes: number, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${hub.plainUrl}/raw/x`, { method: "PUT", body: "x".repeat(bytes), headers });
    expect(await (await send(65_536)).text()).toBe("65536");
    expect(await (await send(200_000)).json()).toMatchObject({ code: "TOO_LARGE" });
    expect(await (await send(200_000, { authorization: "Bearer known to the handler" })).text()).toBe("200000");
  });

  test("[AP43, RP55] a connection that its handler never authenticates is cut; one that it does authenticate stays", async () => {
    const clock = new ManualClock();
    const raw: RawHandler = (request) => {
      if (request.path === "/raw/known") request.noteAuthenticated();
      async function* body(): AsyncIterable<Uint8Array> {
        yield Buffer.from("begun");
        await new Promise<never>(() => undefined);
      }
      return Promise.resolve({ status: 200, headers: [["content-type", "text/plain"]], body: body() });
    };
    await using hub = await openTestHub({ routes: [rawRoute(raw)], clock });
    const [known, stranger] = await Promise.all(
      ["/raw/known", "/raw/stranger"].map(async (path) => {
        const peer = await connectPlain(hub.plainUrl);
        peer.socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
        await peer.until("begun");
        return peer;
      }),
    );
    const { unauthenticated, pingTimeoutMs } = defaultListenerLimits;
    const cutAtMs = await advanceUntil(clock, stranger?.closed ?? Promise.resolve());
    expect(cutAtMs).toBeGreaterThanOrEqual((unauthenticated?.timeoutMs ?? 0) + pingTimeoutMs);
    expect(known?.socket.destroyed).toBe(false);
    known?.socket.destroy();
  });

  test("[AP43, RP54] connections that its handler authenticates leave the share of their address", async () => {
    const raw: RawHandler = (request) => {
      request.noteAuthenticated();
      return Promise.resolve({ status: 200, headers: [], body: new Uint8Array() });
    };
    const limits = { unauthenticated: { maxCountPerAddress: 1, timeoutMs: 30_000 } };
    await using hub = await openTestHub({ routes: [rawRoute(raw)], limits });
    const peers: RawPeer[] = [];
    for (let at = 0; at < 3; at += 1) {
      const peer = await connectPlain(hub.plainUrl);
      peer.socket.write("GET /raw/x HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await peer.until("200 OK");
      peers.push(peer);
    }
    const silent = await connectPlain(hub.plainUrl);
    await (await connectPlain(hub.plainUrl)).closed;
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="share"}')).toBe(1);
    for (const { socket } of [...peers, silent]) socket.destroy();
  });
});

describe("a peer that leaves a raw route", () => {
  test.each(["rejects", "answers a stream"])(
    "[AP43] aborts its request, and no failure is logged though it %s then",
    async (how) => {
      const entered = Promise.withResolvers<void>();
      let isOpened = false;
      async function* body(): AsyncIterable<Uint8Array> {
        isOpened = true;
        yield new Uint8Array(1);
      }
      const raw: RawHandler = async ({ signal }) => {
        entered.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        if (how === "rejects") throw signal.reason;
        return { status: 200, headers: [], body: body() };
      };
      await using hub = await openTestHub({ routes: [rawRoute(raw)] });
      const peer = await connectPlain(hub.plainUrl);
      peer.socket.write("GET /raw/x HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await entered.promise;
      peer.socket.destroy();
      const { fields } = await hub.log.next(({ message }) => message === "request served");
      expect(fields["code"]).toBe("canceled");
      await settle();
      expect([isOpened, hub.log.lines.filter(({ level }) => level === "error")]).toEqual([false, []]);
    },
  );
});

describe("an upgrade", () => {
  test.each(["plain", "TLS"])(
    "[AP44] over %s is given to the handler, with what was sent behind it",
    async (listener) => {
      await using hub = await openTestHub({ routes: [echoRoute] });
      const peer =
        listener === "plain" ? await connectPlain(hub.plainUrl) : await connectSecure(hub.url, "http/1.1", hub.ca);
      askUpgrade(peer, "/raw/exec", [asRoot]);
      await peer.until("hello root first");
      expect(peer.received()).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
      peer.socket.write(" and second");
      await peer.until("first and second");
      expect(hub.metrics.value('flotilla_rpc_streams{method="/raw/"}')).toBe(1);
      peer.socket.destroy();
      const { fields } = await hub.log.next(({ message }) => message === "request served");
      expect(fields).toMatchObject({ status: 101, user: "root", method: "/raw/" });
      expect(hub.metrics.value('flotilla_rpc_streams{method="/raw/"}')).toBe(0);
    },
  );

  test("[AP44] is refused in HTTP: without a token, by a page of another origin, by the handler, and beyond the limit", async () => {
    const refusing = rawRoute(
      () => Promise.resolve({ status: 403, headers: [["content-type", "text/plain"]], body: Buffer.from("not you") }),
      { path: "/refusing/", takesUpgrades: true },
    );
    await using hub = await openTestHub({ routes: [echoRoute, refusing], limits: { maxStreamsPerCaller: 1 } });
    const refusalOf = async (path: string, headers: readonly string[]): Promise<string> => {
      const peer = await connectPlain(hub.plainUrl);
      askUpgrade(peer, path, headers);
      return (await peer.closed).replaceAll("\r\n", "\n");
    };
    expect(await refusalOf("/raw/x", [])).toMatch(/^HTTP\/1\.1 401 .*"UNAUTHENTICATED"/s);
    expect(await refusalOf("/raw/x", [asRoot, "origin: https://evil.example"])).toMatch(/^HTTP\/1\.1 403 /);
    expect(await refusalOf("/refusing/x", [])).toMatch(/^HTTP\/1\.1 403 .*not you$/s);
    const first = await connectPlain(hub.plainUrl);
    askUpgrade(first, "/raw/x", [asRoot]);
    await first.until("hello");
    expect(await refusalOf("/raw/x", [asRoot])).toMatch(/"OVERLOADED"/);
    first.socket.destroy();
  });

  test("[AP44] that its route does not take is served as if it had not been asked for", async () => {
    const whole = rawRoute(() => Promise.resolve({ status: 200, headers: [], body: Buffer.from("plain answer") }), {
      path: "/whole/",
    });
    await using hub = await openTestHub({ routes: [echoRoute, whole] });
    for (const peer of [await connectPlain(hub.plainUrl), await connectSecure(hub.url, "http/1.1", hub.ca)]) {
      peer.socket.write("GET /whole/x HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: h2c\r\n\r\n");
      await peer.until("plain answer");
      // The connection goes on.
      peer.socket.write("GET /whole/y HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
      expect((await peer.closed).match(/plain answer/g)).toHaveLength(2);
    }
  });

  test("[AP44, RP31, RP32] its connection ends with its token and with the hub", async () => {
    const hub = await openTestHub({ routes: [echoRoute] });
    hub.tokens.add("guest");
    const [guest, root] = await Promise.all(
      ["guest", "root"].map(async (user) => {
        const peer = await connectPlain(hub.plainUrl);
        askUpgrade(peer, "/raw/x", [`authorization: Bearer ${user}`]);
        await peer.until(`hello ${user}`);
        return peer;
      }),
    );
    hub.tokens.revoke("guest");
    await guest?.closed;
    expect(root?.socket.destroyed).toBe(false);
    await hub[Symbol.asyncDispose]();
    await root?.closed;
  });

  test("[AP44, RP55] of a sender that is never authenticated is cut with its connection", async () => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ routes: [rawRoute(echo, { takesUpgrades: true })], clock });
    const peer = await connectPlain(hub.plainUrl);
    askUpgrade(peer, "/raw/x");
    await peer.until("hello stranger first");
    await advanceUntil(clock, peer.closed);
    expect(hub.metrics.value('flotilla_rpc_connections_cut_total{reason="unauthenticated"}')).toBe(1);
  });
});
