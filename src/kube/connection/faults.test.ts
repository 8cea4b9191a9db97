// SPDX-License-Identifier: Apache-2.0
// What keeps a connection from coming about, and what breaks one that stood.
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { systemClock } from "../../base/time/system-clock.ts";
import { anonymousUser } from "../credentials/cluster-access.ts";
import type { KubeError } from "../kube-error.ts";
import { createTestAuthority } from "./testing/certificates.ts";
import { silentlyCollect } from "./testing/collect.ts";
import { startRelay } from "./testing/relay.ts";
import { ask, failureOf, get, lookupOf, neverAborted, openTestConnection, testAccess } from "./testing/test-access.ts";
import {
  answerJson,
  answerStatus,
  listen,
  startBlackHole,
  startResetter,
  startTestServer,
  testAuthority,
  testIdentity,
} from "./testing/test-server.ts";

const dayMs = 86_400_000;

/** A port on which nothing listens, and which the system gives to nobody who asks for any. */
const closedPort = 1;

test("[KU2] [N-43] an attempt against a black hole ends after the connect timeout, and the next request dials anew", async () => {
  const clock = new ManualClock();
  await using hole = await startBlackHole();
  await using connection = openTestConnection(testAccess(hole.url), { clock, connectTimeoutMs: 10_000 });
  for (const acceptedCount of [1, 2]) {
    const waiting = [failureOf(ask(connection, "/a")), failureOf(ask(connection, "/b"))];
    await expect.poll(() => hole.acceptedCount).toBe(acceptedCount);
    expect(connection.state).toBe("connecting");
    await clock.advance(9_999);
    expect(connection.state).toBe("connecting");
    await clock.advance(1);
    const failures = await Promise.all(waiting);
    const message = `connecting to ${hole.url}: no connection within 10000 ms`;
    expect(failures).toMatchObject([
      { fault: "timeout", message: `GET /a of test: ${message}` },
      { fault: "timeout", message: `GET /b of test: ${message}` },
    ]);
    expect(connection.state).toBe("broken");
    await expect.poll(() => hole.sockets.size).toBe(0);
  }
  expect(clock.timerCount).toBe(0);
});

test("[KU2] a lookup that never answers ends after the connect timeout, and a request's own deadline before it", async () => {
  const clock = new ManualClock();
  let askedCount = 0;
  await using connection = openTestConnection(testAccess("https://api.test:6443"), {
    clock,
    connectTimeoutMs: 10_000,
    lookup: () => {
      askedCount += 1;
    },
  });
  const early = failureOf(ask(connection, "/early", { deadlineMs: 2_000 }));
  const late = failureOf(ask(connection, "/late"));
  await expect.poll(() => askedCount).toBe(1);
  await clock.advance(2_000);
  expect(await early).toMatchObject({
    fault: "timeout",
    message: "GET /early of test: no complete answer within 2000 ms",
  });
  await clock.advance(8_000);
  expect(await late).toMatchObject({ fault: "timeout" });
});

test("[KU2] a server that says nothing after TLS is given up after the connect timeout", async () => {
  const clock = new ManualClock();
  const secured = Promise.withResolvers<void>();
  const options = { cert: testIdentity.certificate, key: testIdentity.key, ALPNProtocols: ["h2"] };
  await using mute = await listen(
    createTlsServer(options, (socket) => {
      secured.resolve();
      socket.resume();
      socket.on("error", () => undefined); // the client cuts it
    }),
  );
  await using connection = openTestConnection(testAccess(mute.url), { clock, connectTimeoutMs: 10_000 });
  const failing = failureOf(ask(connection, "/a"));
  await secured.promise;
  // The deadline of the handshake, then that of the settings.
  await expect.poll(() => clock.timerCount).toBe(2);
  await clock.advance(10_000);
  expect(await failing).toMatchObject({ fault: "timeout" });
  await expect.poll(() => mute.sockets.size).toBe(0);
});

test("[KU4] [R-16] a refused connection, an expired certificate and a 401 are three different faults", async () => {
  const identity = testAuthority.issueServer(["127.0.0.1"], {
    notBeforeMs: systemClock.wallMs() - 3 * dayMs,
    notAfterMs: systemClock.wallMs() - 2 * dayMs,
  });
  await using expired = await startTestServer(() => undefined, { identity });
  await using refusing = await startTestServer((_request, response) => answerStatus(response, 401, "Unauthorized"));
  const faults: string[] = [];
  for (const url of [`https://127.0.0.1:${closedPort}`, expired.url, refusing.url]) {
    await using connection = openTestConnection(testAccess(url, { user: { ...anonymousUser, token: "wrong" } }));
    faults.push(((await failureOf(ask(connection, "/api"))) as KubeError).fault);
  }
  expect(faults).toEqual(["tcp", "tls", "unauthorized"]);
});

test("[KU4] what is wrong with a certificate is told apart: expired, not yet valid, of another CA, for another name", async () => {
  const nowMs = systemClock.wallMs();
  const of = (fromDays: number, toDays: number) => ({
    notBeforeMs: nowMs + fromDays * dayMs,
    notAfterMs: nowMs + toDays * dayMs,
  });
  const identities = [
    [testAuthority.issueServer(["127.0.0.1"], of(-3, -2)), "has expired"],
    [testAuthority.issueServer(["127.0.0.1"], of(2, 3)), "not valid yet"],
    [createTestAuthority(nowMs, "another CA").issueServer(["127.0.0.1"]), "not signed by the CA"],
    [testAuthority.issueServer(["api.test"]), "for another name"],
  ] as const;
  for (const [identity, sentence] of identities) {
    await using server = await startTestServer((_request, response) => answerJson(response, 200, {}), { identity });
    await using connection = openTestConnection(testAccess(server.url));
    const error = await failureOf(ask(connection, "/api"));
    expect(error).toMatchObject({ fault: "tls", message: expect.stringContaining(sentence) });
    await using careless = openTestConnection(
      testAccess(server.url, { insecureSkipTlsVerify: true, certificateAuthority: undefined }),
    );
    expect(await ask(careless, "/api")).toBe("{}");
  }
});

test("tls-server-name is the name that the certificate must hold", async () => {
  const identity = testAuthority.issueServer(["api.test"]);
  await using server = await startTestServer((_request, response) => answerJson(response, 200, {}), { identity });
  await using right = openTestConnection(testAccess(server.url, { tlsServerName: "api.test" }));
  expect(await ask(right, "/api")).toBe("{}");
  await using wrong = openTestConnection(testAccess(server.url, { tlsServerName: "other.test" }));
  expect(await failureOf(ask(wrong, "/api"))).toMatchObject({ fault: "tls" });
});

test("[KU4] names that do not resolve, resets, and servers without TLS or HTTP each have their fault", async () => {
  const lookup = lookupOf({});
  await using unknown = openTestConnection(testAccess("https://api.test:6443"), { lookup });
  expect(await failureOf(ask(unknown, "/api"))).toMatchObject({ fault: "dns" });
  await using resetter = await startResetter();
  await using reset = openTestConnection(testAccess(resetter.url));
  expect(await failureOf(ask(reset, "/api"))).toMatchObject({ fault: "tcp" });
  await using plain = await listen(createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  await using noTls = openTestConnection(testAccess(plain.url));
  expect(await failureOf(ask(noTls, "/api"))).toMatchObject({ fault: "tls" });
  const options = { cert: testIdentity.certificate, key: testIdentity.key, ALPNProtocols: ["http/1.1"] };
  await using talker = await listen(createTlsServer(options, (socket) => socket.end("220 mail.test ESMTP\r\n")));
  await using noHttp = openTestConnection(testAccess(talker.url));
  expect(await failureOf(ask(noHttp, "/api"))).toMatchObject({ fault: "malformed" });
});

test("[KU1] a connection whose PING is not answered breaks, with every request on it, and is told", async () => {
  const clock = new ManualClock();
  await using server = await startTestServer((_request, response) => response.writeHead(200).write("{}\n"));
  await using relay = await startRelay(server.port);
  const broken: KubeError[] = [];
  await using connection = openTestConnection(testAccess(relay.url), {
    clock,
    pingIntervalMs: 30_000,
    pingTimeoutMs: 15_000,
    onBroken: (error) => broken.push(error),
  });
  const watch = get("/api/v1/pods", { isWatch: true });
  const bodies = [await connection.request(watch, neverAborted), await connection.request(watch, neverAborted)];
  const reading = bodies.map(({ body }) => silentlyCollect(body));
  await expect.poll(() => reading.map(({ parts }) => parts.length)).toEqual([1, 1]);
  let pingCount = 0;
  for (const session of server.sessions) session.on("ping", () => (pingCount += 1));
  await clock.advance(30_000);
  await expect.poll(() => pingCount).toBe(1);
  // Answered, so the next one is due an interval later; only that timer waits then.
  await expect.poll(() => clock.nextDueMs).toBe(60_000);
  // From here on the server hears nothing: a half-open connection.
  relay.swallow();
  await clock.advance(30_000);
  await clock.advance(15_000);
  expect(broken).toEqual([]);
  // An answer that waits unread is read before the connection is judged.
  await clock.advance(1);
  for (const { ended } of reading) expect(await failureOf(ended)).toMatchObject({ fault: "timeout" });
  expect(broken).toMatchObject([{ fault: "timeout" }]);
  expect(connection.state).toBe("broken");
  expect(await connection.request(watch, neverAborted)).toMatchObject({ status: 200 });
  expect(server.acceptedCount).toBe(2);
});

test.each([
  ["in order", 0],
  ["with an error", 2],
])(
  "[KU1] a server that says its settings and farewell in one breath, %s, is no connection; the next request dials anew",
  async (_how, code) => {
    const settings = Buffer.from("000000040000000000", "hex");
    const goaway = Buffer.from(`000008070000000000000000000000000${code}`, "hex");
    const options = { cert: testIdentity.certificate, key: testIdentity.key, ALPNProtocols: ["h2"] };
    await using server = await listen(
      createTlsServer(
        options,
        (socket) => void socket.on("error", () => undefined).end(Buffer.concat([settings, goaway])),
      ),
    );
    await using connection = openTestConnection(testAccess(server.url));
    for (const _attempt of [1, 2]) {
      expect(await failureOf(ask(connection, "/api"))).toMatchObject({ fault: "tcp" });
      await expect.poll(() => connection.state).not.toBe("open");
    }
    expect(server.acceptedCount).toBeGreaterThan(1);
  },
);

test("[KU1] a PING that falls due between the end of a connection and Node's telling of it ends no process", async () => {
  const clock = new ManualClock();
  await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
  const connection = openTestConnection(testAccess(server.url), { clock, pingIntervalMs: 30_000 });
  expect(await ask(connection, "/api")).toBe("{}");
  expect(clock.nextDueMs).toBe(30_000);
  const closed = connection[Symbol.asyncDispose]();
  clock.runNext();
  await closed;
  await expect.poll(() => clock.timerCount).toBe(0);
});

test("[R-8] a connection that the server cuts is told at once, also while nothing is under way", async () => {
  await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
  const broken: KubeError[] = [];
  await using connection = openTestConnection(testAccess(server.url), { onBroken: (error) => broken.push(error) });
  expect(await ask(connection, "/api")).toBe("{}");
  for (const socket of server.sockets) socket.resetAndDestroy();
  await expect.poll(() => broken).toMatchObject([{ fault: "tcp" }]);
  expect(await ask(connection, "/api")).toBe("{}");
  expect(broken.length).toBe(1);
  for (const session of server.sessions) session.goaway(2);
  await expect.poll(() => broken).toMatchObject([{ fault: "tcp" }, { fault: "tcp" }]);
});

test("[KU1] after GOAWAY new requests go on a new connection while the old ones end in peace", async () => {
  await using server = await startTestServer((request, response) => {
    if (request.url === "/watch") response.writeHead(200).write("1\n");
    else answerJson(response, 200, {});
    if (request.url === "/finish") for (const finish of finishing) finish();
    if (request.url === "/watch") finishing.push(() => response.end("2\n"));
  });
  const finishing: (() => void)[] = [];
  const broken: KubeError[] = [];
  await using connection = openTestConnection(testAccess(server.url), { onBroken: (error) => broken.push(error) });
  const watch = await connection.request(get("/watch", { isWatch: true }), neverAborted);
  const reading = silentlyCollect(watch.body);
  await expect.poll(() => reading.parts.length).toBe(1);
  for (const session of server.sessions) session.goaway(0);
  await expect.poll(() => connection.state).toBe("idle");
  expect(await ask(connection, "/finish")).toBe("{}");
  expect(server.acceptedCount).toBe(2);
  await reading.ended;
  expect(Buffer.concat(reading.parts).toString()).toBe("1\n2\n");
  await expect.poll(() => server.sessions.size).toBe(1);
  expect(broken).toEqual([]);
});

test("a request that the server did not take goes out again on a new connection, whatever its method", async () => {
  let refusedCount = 0;
  await using server = await startTestServer((request, response) => {
    if (refusedCount < 2) {
      refusedCount += 1;
      request.stream.close(7); // REFUSED_STREAM
    } else answerJson(response, 200, {});
  });
  await using connection = openTestConnection(testAccess(server.url));
  expect(await ask(connection, "/api", { method: "POST", body: new Uint8Array([123, 125]) })).toBe("{}");
  refusedCount = -100;
  expect(await failureOf(ask(connection, "/api"))).toMatchObject({ fault: "tcp" });
});
