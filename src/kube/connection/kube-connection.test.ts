// SPDX-License-Identifier: Apache-2.0

import type { Http2ServerRequest } from "node:http2";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { anonymousUser } from "../credentials/cluster-access.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeRequest } from "../kube-source.ts";
import { ask, failureOf, get, neverAborted, openTestConnection, readText, testAccess } from "./testing/test-access.ts";
import { answerJson, answerStatus, startTestServer, testAuthority } from "./testing/test-server.ts";

test("a request goes out with path, query, user agent and credential, and its answer comes back", async () => {
  const seen: Http2ServerRequest[] = [];
  await using server = await startTestServer((request, response) => {
    seen.push(request);
    answerJson(response, 200, { kind: "PodList" }, { etag: '"7"' });
  });
  const user = {
    ...anonymousUser,
    token: "s3cret-token",
    impersonation: { user: "jane", uid: undefined, groups: ["a", "b"], extra: new Map([["scope", ["x"]]]) },
  };
  await using connection = openTestConnection(testAccess(`${server.url}/k8s/clusters/c-1/`, { user }));
  const request = get("/api/v1/pods", { query: { limit: "500", labelSelector: "a=b c" }, headers: { "x-own": "1" } });
  const answer = await connection.request(request, neverAborted);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("etag")).toBe('"7"');
  expect(await readText(answer)).toBe('{"kind":"PodList"}');
  const { url, headers } = seen[0]!;
  expect(url).toBe("/k8s/clusters/c-1/api/v1/pods?limit=500&labelSelector=a%3Db+c");
  expect(headers).toMatchObject({
    authorization: "Bearer s3cret-token",
    "user-agent": "flotilla-agent/test",
    accept: "application/json",
    "accept-encoding": "gzip",
    "impersonate-user": "jane",
    "impersonate-group": "a, b",
    "impersonate-extra-scope": "x",
    "x-own": "1",
    ":authority": `127.0.0.1:${server.port}`,
  });
  expect(connection.state).toBe("open");
});

test("a body is sent, and a request cannot say who it is", async () => {
  const bodies: string[] = [];
  await using server = await startTestServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(`${request.method} ${request.headers.authorization} ${body}`);
      answerJson(response, 201, {});
    });
  });
  await using connection = openTestConnection(testAccess(server.url, { user: { ...anonymousUser, token: "own" } }));
  const request: KubeRequest = {
    ...get("/api/v1/namespaces"),
    method: "POST",
    body: new TextEncoder().encode("{}"),
    headers: { authorization: "Bearer other" },
  };
  expect((await connection.request(request, neverAborted)).status).toBe(201);
  expect(bodies).toEqual(["POST Bearer own {}"]);
});

test("[KU1] twenty watches and a list share one connection that is dialled once", async () => {
  await using server = await startTestServer((request, response) => {
    if (request.url.includes("watch")) response.writeHead(200).write("{}\n");
    else answerJson(response, 200, {});
  });
  await using connection = openTestConnection(testAccess(server.url));
  const stop = new AbortController();
  const watches = await Promise.all(
    Array.from({ length: 20 }, () =>
      connection.request(get("/api/v1/pods", { query: { watch: "1" }, isWatch: true }), stop.signal),
    ),
  );
  expect(watches.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await ask(connection, "/api/v1/pods")).toBe("{}");
  expect(server.acceptedCount).toBe(1);
  stop.abort(new Error("done"));
});

test("a server that takes few requests at once gets another connection rather than a list that waits for watches to end", async () => {
  await using server = await startTestServer(
    (request, response) => {
      if (request.url.includes("watch")) response.writeHead(200).write("{}\n");
      else answerJson(response, 200, {});
    },
    { maxConcurrentStreams: 2 },
  );
  await using connection = openTestConnection(testAccess(server.url));
  const stop = new AbortController();
  const watch = get("/api/v1/pods", { query: { watch: "1" }, isWatch: true });
  await Promise.all(Array.from({ length: 5 }, () => connection.request(watch, stop.signal)));
  expect(await ask(connection, "/api/v1/pods")).toBe("{}");
  expect(server.acceptedCount).toBe(3);
  for (let count = 6; count <= 32; count += 1) await connection.request(watch, stop.signal);
  expect(await failureOf(connection.request(watch, stop.signal))).toMatchObject({ fault: "overloaded" });
  stop.abort(new Error("done"));
});

test("a list that the server compressed is given decompressed, piece by piece", async () => {
  const list = JSON.stringify({ items: Array.from({ length: 20_000 }, (_, index) => ({ name: `pod-${index}` })) });
  await using server = await startTestServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync(list));
  });
  await using connection = openTestConnection(testAccess(server.url));
  expect(await ask(connection, "/api/v1/pods")).toBe(list);
});

test("a compressed answer that is cut, or is none, fails", async () => {
  await using server = await startTestServer((request, response) => {
    response.writeHead(200, { "content-encoding": request.url === "/br" ? "br" : "gzip" });
    response.end(request.url === "/cut" ? gzipSync("x".repeat(10_000)).subarray(0, 30) : "no gzip");
  });
  await using connection = openTestConnection(testAccess(server.url));
  expect(await failureOf(ask(connection, "/none"))).toMatchObject({ fault: "malformed" });
  expect(await failureOf(ask(connection, "/cut"))).toMatchObject({ fault: "malformed" });
  expect(await failureOf(ask(connection, "/br"))).toMatchObject({ fault: "malformed" });
});

test("[KU3] [KU4] each refusal is a KubeError with its fault, status, message and the wait that was asked for", async () => {
  const statusOf = (path: string): number => Number(path.slice(1, 4));
  await using server = await startTestServer((request, response) => {
    const retry = request.url.endsWith("/retry") ? { "retry-after": "7" } : {};
    answerStatus(response, statusOf(request.url), `this is ${statusOf(request.url)}`, retry);
  });
  await using connection = openTestConnection(testAccess(server.url));
  const faults = [
    ["/400", "refused"],
    ["/401", "unauthorized"],
    ["/403", "forbidden"],
    ["/404", "notFound"],
    ["/405", "refused"],
    ["/409", "conflict"],
    ["/410", "expired"],
    ["/410/retry", "expired"],
    ["/422", "refused"],
    ["/429", "overloaded"],
    ["/429/retry", "overloaded"],
    ["/500", "serverError"],
    ["/503", "serverError"],
    ["/503/retry", "overloaded"],
  ] as const;
  for (const [path, fault] of faults) {
    const error = await failureOf(ask(connection, path));
    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ fault, status: statusOf(path), retryAfterMs: path.endsWith("retry") ? 7_000 : 0 });
    expect(error).toMatchObject({
      message: `GET ${path} of test was answered ${statusOf(path)}: this is ${statusOf(path)}`,
    });
  }
});

test("[KU3] of a page that is no Kubernetes answer nothing is told, and no more than its start is read", async () => {
  let sentBytes = 0;
  let hasClosed = false;
  await using server = await startTestServer((request, response) => {
    response.writeHead(request.url === "/ok" ? 200 : 403, { "content-type": "text/html" });
    response.once("close", () => (hasClosed = true));
    const page = Buffer.alloc(16 * 1024, "<p>");
    const isOpen = (): boolean => !hasClosed;
    const write = (): void => {
      while (isOpen() && sentBytes < 64 * 1024 * 1024) {
        sentBytes += page.length;
        if (!response.write(page)) {
          response.once("drain", write);
          return;
        }
      }
      response.end();
    };
    write();
  });
  await using connection = openTestConnection(testAccess(server.url));
  const error = await failureOf(ask(connection, "/page"));
  expect(error).toMatchObject({
    fault: "forbidden",
    message: "GET /page of test was answered 403: without a Kubernetes Status",
  });
  await expect.poll(() => hasClosed).toBe(true);
  expect(sentBytes).toBeLessThan(2 * 1024 * 1024);
  expect(await failureOf(ask(connection, "/ok"))).toMatchObject({ fault: "malformed", status: 200 });
});

test("[KU3] of plain text, as an API server answers for a group that is gone, the beginning is told without what looks like a secret", async () => {
  await using server = await startTestServer((_request, response) => {
    response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
    response.end(`404 page not found\n for token=abcdef ${"x ".repeat(500)}`);
  });
  await using connection = openTestConnection(testAccess(server.url));
  const message = String(await failureOf(ask(connection, "/apis/gone/v1")));
  expect(message).toMatch(/was answered 404: without a Kubernetes Status: 404 page not found for token=\[hidden\] x x/);
  expect(message.length).toBeLessThan(300);
});

test("an answer that sends us elsewhere is no answer, and one that says nothing changed has no body", async () => {
  await using server = await startTestServer((request, response) => {
    response.writeHead(request.url === "/same" ? 304 : 302, { location: "https://elsewhere.test/" }).end();
  });
  await using connection = openTestConnection(testAccess(server.url));
  expect(await failureOf(ask(connection, "/moved"))).toMatchObject({ fault: "malformed", status: 302 });
  const same = await connection.request(get("/same"), neverAborted);
  expect(same.status).toBe(304);
  expect(await readText(same)).toBe("");
});

test("[KU9] a token that the server sends back is not in the error", async () => {
  await using server = await startTestServer((request, response) => {
    answerStatus(response, 403, `you sent ${request.headers.authorization}`);
  });
  const user = { ...anonymousUser, token: "abcdefgh12345678" };
  await using connection = openTestConnection(testAccess(server.url, { user }));
  const error = await failureOf(ask(connection, "/api"));
  expect(error).toMatchObject({ message: "GET /api of test was answered 403: you sent Bearer [hidden]" });
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("abcdefgh");
});

test("a server that asks for a client certificate is shown it", async () => {
  const users: unknown[] = [];
  await using server = await startTestServer(
    (request, response) => {
      users.push((request.stream.session!.socket as TLSSocket).getPeerCertificate().subject.CN);
      answerJson(response, 200, {});
    },
    { asksForCertificate: true },
  );
  const { certificate, key } = testAuthority.issueClient("jane", ["staff"]);
  const clientCertificate = {
    certificate: { kind: "inline", text: certificate },
    key: { kind: "inline", text: key },
  } as const;
  await using connection = openTestConnection(
    testAccess(server.url, { user: { ...anonymousUser, clientCertificate } }),
  );
  expect(await ask(connection, "/api")).toBe("{}");
  expect(users).toEqual(["jane"]);
  await using nobody = openTestConnection(testAccess(server.url));
  expect(await failureOf(ask(nobody, "/api"))).toMatchObject({ fault: "tls" });
  const broken = { ...clientCertificate, key: { kind: "inline", text: "no key" } } as const;
  await using unusable = openTestConnection(
    testAccess(server.url, { user: { ...anonymousUser, clientCertificate: broken } }),
  );
  expect(await failureOf(ask(unusable, "/api"))).toMatchObject({ fault: "tls" });
});

test("the observer is told of each request as it ends, and not of one that its caller gave up", async () => {
  const told: string[] = [];
  await using server = await startTestServer((request, response) => {
    if (request.url === "/hang") return;
    if (request.url === "/refused") answerStatus(response, 403, "no");
    else answerJson(response, 200, {});
  });
  await using connection = openTestConnection(testAccess(server.url), {
    observer: {
      answered: (request, status, tookMs) => told.push(`${request.path} ${status} ${tookMs >= 0}`),
      failed: (request, error, tookMs) => told.push(`${request.path} ${error.fault} ${tookMs >= 0}`),
    },
  });
  const answer = await connection.request(get("/list"), neverAborted);
  expect(told).toEqual([]);
  await readText(answer);
  await failureOf(ask(connection, "/refused"));
  const stop = new AbortController();
  const hanging = connection.request(get("/hang"), stop.signal);
  stop.abort(new Error("enough"));
  expect(await failureOf(hanging)).toMatchObject({ message: "enough" });
  expect(told).toEqual(["/list 200 true", "/refused forbidden true"]);
});

test("[KU2] [N-53] a list that is never answered ends at its own deadline and delays no other", async () => {
  const clock = new ManualClock();
  let hasHung = false;
  await using server = await startTestServer((request, response) => {
    if (request.url === "/hang") hasHung = true;
    else if (request.url === "/slow") response.writeHead(200).write("{");
    else answerJson(response, 200, {});
  });
  await using connection = openTestConnection(testAccess(server.url), {
    clock,
    pingIntervalMs: 1e9,
    pingTimeoutMs: 1e9,
  });
  const hanging = failureOf(ask(connection, "/hang", { deadlineMs: 5_000 }));
  const slow = failureOf(ask(connection, "/slow", { deadlineMs: 5_000 }));
  const watch = await connection.request(get("/slow", { isWatch: true, deadlineMs: 5_000 }), neverAborted);
  const events = watch.body[Symbol.asyncIterator]();
  await expect.poll(() => hasHung).toBe(true);
  expect(await ask(connection, "/other")).toBe("{}");
  expect(clock.nowMs()).toBe(0);
  await clock.advance(5_000);
  expect(await hanging).toMatchObject({
    fault: "timeout",
    message: "GET /hang of test: no complete answer within 5000 ms",
  });
  expect(await slow).toMatchObject({ fault: "timeout" });
  expect(new TextDecoder().decode((await events.next()).value as Uint8Array)).toBe("{");
  expect(await ask(connection, "/other")).toBe("{}");
  expect(server.acceptedCount).toBe(1);
  // The deadline has no part in how a watch ends later.
  for (const socket of server.sockets) socket.destroy();
  expect(await failureOf(events.next())).toMatchObject({ fault: "tcp" });
});

test("a request after the end fails at once, and the end ends those under way", async () => {
  await using server = await startTestServer(() => undefined);
  const connection = openTestConnection(testAccess(server.url));
  const hanging = failureOf(ask(connection, "/hang"));
  await expect.poll(() => server.sessions.size).toBe(1);
  await connection.close();
  expect(await hanging).toMatchObject({ fault: "tcp" });
  expect(await failureOf(ask(connection, "/late"))).toMatchObject({ fault: "tcp" });
  await expect.poll(() => server.sockets.size).toBe(0);
});
