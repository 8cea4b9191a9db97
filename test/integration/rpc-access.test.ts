// SPDX-License-Identifier: Apache-2.0
import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { permission } from "../../src/gen/flotilla/options/v1/permission_pb.ts";
import { callerOf, callOf } from "../../src/rpc/server/call-context.ts";
import { serviceEntry } from "../../src/rpc/server/connect-router.ts";
import { callMethod, textsOf } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { EchoService, echoMethod } from "../../src/rpc/testing/echo-service.ts";
import { connectPlain } from "../../src/rpc/testing/raw-peer.ts";
import { openTestHub } from "../../src/rpc/testing/test-hub.ts";
import { loadAllServices } from "../support/all-services.ts";

/** All that the hub serves, and one more with every shape a method can have. */
const services: readonly DescService[] = [...(await loadAllServices()), EchoService];

/** Handlers that note that they were called, for every method of a service. */
function countingHandlers(service: DescService, called: string[]): Partial<ServiceImpl<DescService>> {
  const entries = service.methods.map((method) => {
    const isStream = method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming";
    const unary = (): object => {
      called.push(method.name);
      return {};
    };
    async function* stream(): AsyncGenerator<object> {
      called.push(method.name);
      yield {};
    }
    return [method.localName, isStream ? stream : unary];
  });
  return Object.fromEntries(entries) as Partial<ServiceImpl<DescService>>;
}

/** Methods that any token may call; what they show or change is the caller's own, or judged inside. */
const openToAll = new Set([
  "GetVersion",
  "WhoAmI",
  "Anybody",
  "Open",
  "Subscribe",
  "Unsubscribe",
  "Logout",
  "GetViewer",
]);
const isOpenToAll = (method: DescMethod): boolean => openToAll.has(method.name);
const isPublic = (method: DescMethod): boolean =>
  hasOption(method, permission) && getOption(method, permission).publicBecause !== "";
const isUndeclared = (method: DescMethod): boolean => ["Bare", "BareWatch", "Empty"].includes(method.name);

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "ok",
    (reason: unknown) => (reason instanceof FlotillaError ? reason.code : String(reason)),
  );
}

describe("[RP28][U-7][L16] [lesson navigator-7.3.1] every method of every service", () => {
  test("refuses no token and a token without permission before its handler, and serves one that has it", async () => {
    const called: string[] = [];
    await using hub = await openTestHub({
      services: services.map((service) => serviceEntry(service, countingHandlers(service, called))),
    });
    const anonymous = hub.transport();
    const forged = hub.transport("forged");
    const nobody = hub.transport("nobody");
    const root = hub.transport("root");
    for (const method of services.flatMap((service) => service.methods).filter((each) => !isPublic(each))) {
      const name = `${method.parent.typeName}/${method.name}`;
      expect([name, await outcomeOf(callMethod(anonymous, method))]).toEqual([name, "UNAUTHENTICATED"]);
      expect([name, await outcomeOf(callMethod(forged, method))]).toEqual([name, "UNAUTHENTICATED"]);
      expect(called).toEqual([]);
      const denied = await outcomeOf(callMethod(nobody, method));
      expect([name, denied]).toEqual([name, isOpenToAll(method) ? "ok" : "PERMISSION_DENIED"]);
      expect(called.splice(0)).toEqual(isOpenToAll(method) ? [method.name] : []);
      const served = await outcomeOf(callMethod(root, method));
      expect([name, served]).toEqual([name, isUndeclared(method) ? "PERMISSION_DENIED" : "ok"]);
      expect(called.splice(0)).toEqual(isUndeclared(method) ? [] : [method.name]);
    }
    expect(services.length).toBeGreaterThan(1);
  });

  test("that is public says why, serves everybody, and is one of those we know", async () => {
    const called: string[] = [];
    await using hub = await openTestHub({
      services: services.map((service) => serviceEntry(service, countingHandlers(service, called))),
    });
    const open = services.flatMap((service) => service.methods).filter(isPublic);
    // Each checks a credential of its own: a token or a code, a join token, an agent's key, a ticket. Another one here
    // needs the same care.
    expect(open.map(({ name }) => name)).toEqual(["Login", "Join", "Connect", "Tunnel"]);
    for (const method of open) {
      expect(getOption(method, permission).publicBecause).toMatch(/^\w.{20,}/);
      expect(await outcomeOf(callMethod(hub.transport(), method))).toBe("ok");
      expect(await outcomeOf(callMethod(hub.transport("forged"), method))).toBe("ok");
    }
    expect(called).toEqual(["Login", "Login", "Join", "Join", "Connect", "Connect", "Tunnel", "Tunnel"]);
  });
});

test("[RP29][L16] a permission check that throws is a denial, and is logged with its cause", async () => {
  const called: string[] = [];
  await using hub = await openTestHub({
    services: [serviceEntry(EchoService, countingHandlers(EchoService, called))],
    authorizer: {
      isAllowed() {
        throw new Error("policy store is away");
      },
    },
  });
  for (const name of ["Echo", "EchoNamed", "Watch", "WatchNamed", "Collect", "Chat"]) {
    expect(await outcomeOf(callMethod(hub.transport("root"), echoMethod(name)))).toBe("PERMISSION_DENIED");
  }
  expect(called).toEqual([]);
  const line = hub.log.lines.find(
    (candidate) => candidate.message === "permission check failed and counts as a denial",
  );
  expect(line?.error).toMatchObject({ message: "policy store is away" });
});

test("[RP27] a verifier that fails lets nobody in and does not tell the caller to throw its token away", async () => {
  const called: string[] = [];
  await using hub = await openTestHub({
    services: [serviceEntry(EchoService, countingHandlers(EchoService, called))],
    verifier: { verify: () => Promise.reject(new Error("store is away")) },
  });
  expect(await outcomeOf(callMethod(hub.transport("root"), echoMethod("Anybody")))).toBe("UNAVAILABLE");
  expect(called).toEqual([]);
});

test("[RP27] a verifier that hangs lets nobody in, and the call ends at its deadline", async () => {
  const clock = new ManualClock();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const called: string[] = [];
  await using hub = await openTestHub({
    clock,
    services: [serviceEntry(EchoService, countingHandlers(EchoService, called))],
    verifier: {
      verify() {
        resolve();
        return new Promise<never>(() => undefined);
      },
    },
  });
  const call = outcomeOf(callMethod(hub.transport("root"), echoMethod("Watch")));
  await asked;
  await clock.advance(30_000);
  expect(await call).toBe("DEADLINE_EXCEEDED");
  expect(called).toEqual([]);
});

test("[RP28] a rule that names one object lets that one through and no other, for single answers and streams", async () => {
  const called: string[] = [];
  await using hub = await openTestHub({
    services: [serviceEntry(EchoService, countingHandlers(EchoService, called))],
    authorizer: { isAllowed: (_subject, request) => request.kind === "resource" && request.name === "mine" },
  });
  const transport = hub.transport("root");
  for (const name of ["EchoNamed", "WatchNamed"]) {
    expect(await outcomeOf(callMethod(transport, echoMethod(name), { text: "theirs" }))).toBe("PERMISSION_DENIED");
    expect(await outcomeOf(callMethod(transport, echoMethod(name), { text: "" }))).toBe("PERMISSION_DENIED");
    expect(called.splice(0)).toEqual([]);
    expect(await outcomeOf(callMethod(transport, echoMethod(name), { text: "mine" }))).toBe("ok");
    expect(called.splice(0)).toEqual([name]);
  }
});

test("[RP30] the first check that fails answers: Host, Origin, token, permission, length", async () => {
  await using hub = await openTestHub({ services: [echoEntry({ echo: () => "" })] });
  const all = {
    host: "evil.example",
    origin: "https://evil.example",
    authorization: "Bearer forged",
    "content-type": "application/json",
    "content-length": "104857600",
  };
  const path = "/flotilla.test.v1.EchoService/Echo";
  const statusOf = async (fixes: Readonly<Record<string, string>>): Promise<number> => {
    const peer = await connectPlain(hub.plainUrl);
    const headers = Object.entries({ ...all, ...fixes }).map(([name, value]) => `${name}: ${value}`);
    peer.socket.write(`POST ${path} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
    await peer.until("\r\n\r\n");
    peer.socket.destroy();
    return Number(peer.received().slice(9, 12));
  };
  const host = "localhost:7080";
  const origin = "http://localhost:7080";
  expect(await statusOf({})).toBe(421);
  expect(await statusOf({ host })).toBe(403);
  expect(await statusOf({ host, origin })).toBe(401);
  expect(await statusOf({ host, origin, authorization: "Bearer nobody" })).toBe(403);
  expect(await statusOf({ host, origin, authorization: "Bearer root" })).toBe(429);
});

test("[RP33] subject and request id reach the handler", async () => {
  await using hub = await openTestHub({
    services: [
      echoEntry({
        anybody(_text, { values }) {
          const { subject, tokenId } = callerOf(values);
          return [callOf(values).requestId, subject.user, ...subject.groups, tokenId].join(" ");
        },
      }),
    ],
  });
  const headers = { "x-request-id": "abc-123" };
  const answers = await callMethod(hub.transport("nobody"), echoMethod("Anybody"), { headers });
  expect(textsOf(answers)).toEqual(["abc-123 nobody testers tok_nobody"]);
});

test("[RP27][U-13] a revoked or expired token fails on its next call, with a sentence that says so", async () => {
  await using hub = await openTestHub({ services: [serviceEntry(EchoService, countingHandlers(EchoService, []))] });
  const transport = hub.transport("root");
  await callMethod(transport, echoMethod("Echo"));
  hub.tokens.revoke("root");
  await expect(callMethod(transport, echoMethod("Echo"))).rejects.toThrow("the token was revoked; get a new one");
  hub.tokens.expire("nobody");
  await expect(callMethod(hub.transport("nobody"), echoMethod("Echo"))).rejects.toThrow("the token has expired");
});
