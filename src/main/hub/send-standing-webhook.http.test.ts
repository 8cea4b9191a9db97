// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStandingSend } from "./send-standing-webhook.ts";

const never = new AbortController().signal;
const resolvesTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_hostname, options, callback) => {
    expect(options.all).toBe(true);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };

const received: string[] = [];
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/hook": (response) => response.writeHead(204).end(),
  "/moved": (response) => response.writeHead(302, { Location: "/hook" }).end(),
  "/refused": (response) => response.writeHead(403).end("no"),
  // The body never ends.
  "/endless": (response) => response.writeHead(200).write("x".repeat(1_000)),
  "/headers": (response) => response.writeHead(200, { "X-Long": "x".repeat(20_000) }).end(),
  "/cut": (response) => response.socket?.destroy(),
  "/silent": () => undefined,
};
const server = createServer((request: IncomingMessage, response) => {
  void text(request).then((body) => {
    const { url = "", method = "", headers } = request;
    received.push(`${method} ${url} ${String(headers["flotilla-delivery"])} ${body}`);
    answers[url]?.(response);
  });
});
let port = 0;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const requestTo = (path: string, host = "127.0.0.1") => ({
  url: `http://${host}:${port}${path}`,
  headers: { "Content-Type": "application/json", "Flotilla-Delivery": "dlv_1" },
  body: '{"name":"ä"}',
});

test("[SQ14] a delivery is one POST: its status is returned, redirects are not followed, bodies are not read", async () => {
  const send = createStandingSend({ allowsLoopback: true });
  const statuses: number[] = [];
  for (const path of ["/hook", "/moved", "/refused", "/endless"]) statuses.push(await send(requestTo(path), never));
  expect(statuses).toEqual([204, 302, 403, 200]);
  expect(received).toEqual(
    ["/hook", "/moved", "/refused", "/endless"].map((path) => `POST ${path} dlv_1 {"name":"ä"}`),
  );
});

test("[SQ15] a cut connection, a head that is too long and an abort are failures", async () => {
  const send = createStandingSend({ allowsLoopback: true });
  await expect(send(requestTo("/cut"), never)).rejects.toThrow(/hang up|reset/);
  await expect(send(requestTo("/headers"), never)).rejects.toThrow("Header overflow");
  const stopping = new AbortController();
  const sending = send(requestTo("/silent"), stopping.signal);
  stopping.abort(new Error("done"));
  await expect(sending).rejects.toThrow("aborted");
});

test("[SQ7] a name that resolves to the hub's own machine or link is not dialled", async () => {
  received.length = 0;
  const near = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "fe80::1", "0.0.0.0", "::"];
  const send = createStandingSend({ allowsLoopback: false, lookup: resolvesTo(...near) });
  const rebound = { ...requestTo("/hook"), url: `https://hooks.example.com:${port}/hook` };
  await expect(send(rebound, never)).rejects.toThrow("only loopback, link-local or unspecified addresses");
  expect(received).toEqual([]);
});

test("[SQ7] a URL that the option no longer allows is refused", async () => {
  const send = createStandingSend({ allowsLoopback: false });
  await expect(send(requestTo("/hook"), never)).rejects.toThrow("--allow-loopback-webhooks");
  await expect(send(requestTo("/hook", "[::ffff:127.0.0.1]"), never)).rejects.toThrow("--allow-loopback-webhooks");
  const lenient = createStandingSend({ allowsLoopback: true });
  await expect(lenient(requestTo("/hook", "169.254.169.254"), never)).rejects.toThrow("link-local");
});

test("[SQ7] of several addresses only the allowed ones are dialled", async () => {
  received.length = 0;
  const send = createStandingSend({ allowsLoopback: true, lookup: resolvesTo("169.254.169.254", "127.0.0.1") });
  expect(await send(requestTo("/hook", "localhost"), never)).toBe(204);
  expect(received).toHaveLength(1);
});
