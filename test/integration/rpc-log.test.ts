// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { Route } from "../../src/rpc/http/route.ts";
import { callMethod } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { echoMethod } from "../../src/rpc/testing/echo-service.ts";
import { httpGet } from "../../src/rpc/testing/http-get.ts";
import { openTestHub } from "../../src/rpc/testing/test-hub.ts";

const answer = { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" } as const;
const routes: readonly Route[] = [
  {
    path: "/livez",
    access: { kind: "public", because: "probes carry no token" },
    isQuiet: true,
    handler: () => answer,
  },
  { path: "/metrics", access: { kind: "nonResource", verb: "get", path: "/metrics" }, handler: () => answer },
];
const asRoot = { authorization: "Bearer root" };

describe("[RP40] the access log", () => {
  test("[lesson navigator-7.3.6] has one line per request: constant message, method, code, time, user, bytes, request id, and no token", async () => {
    await using hub = await openTestHub({ routes, services: [echoEntry({ anybody: () => "hello" })] });
    await callMethod(hub.transport("root"), echoMethod("Anybody"), { text: "x", headers: { "x-request-id": "r1" } });
    await httpGet(hub, "/metrics?token=hunter2", { "x-request-id": "r2", authorization: "Bearer hunter3" });
    await httpGet(hub, "/livez", { "x-request-id": "r3" });
    const [rpc, refused, probe] = await Promise.all(
      ["r1", "r2", "r3"].map((id) =>
        hub.log.next(({ fields, message }) => message === "request served" && fields["requestId"] === id),
      ),
    );
    expect(rpc).toMatchObject({
      level: "info",
      fields: {
        method: "/flotilla.test.v1.EchoService/Anybody",
        code: "ok",
        user: "root",
        status: 200,
        requestBytes: 3,
        responseBytes: 7,
      },
    });
    expect(rpc?.fields["tookMs"]).toBeTypeOf("number");
    expect(refused).toMatchObject({
      level: "info",
      fields: { method: "/metrics", code: "unauthenticated", status: 401 },
    });
    expect(probe).toMatchObject({ level: "debug", fields: { method: "/livez", code: "ok" } });
    expect(hub.log.lines.filter(({ message }) => message === "request served")).toHaveLength(3);
    expect(JSON.stringify(hub.log.lines)).not.toContain("hunter");
  });

  test("says canceled, and no failure, when the caller went away", async () => {
    const { promise: running, resolve } = Promise.withResolvers<void>();
    const stop = new AbortController();
    await using hub = await openTestHub({
      services: [
        echoEntry({
          anybody(_text, { signal }) {
            resolve();
            return new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason as Error));
            });
          },
        }),
      ],
    });
    const call = callMethod(hub.transport("root"), echoMethod("Anybody"), { signal: stop.signal });
    await running;
    stop.abort(new Error("changed my mind"));
    await expect(call).rejects.toThrow("changed my mind");
    const line = await hub.log.next(({ message }) => message === "request served");
    expect(line.fields["code"]).toBe("canceled");
    expect(hub.log.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  });
});

test("[RP41] strangers cannot make label sets: every unknown path counts as other", async () => {
  await using hub = await openTestHub({ routes });
  for (const path of ["/a", "/b", "/c?x=1", "/flotilla.test.v1.EchoService/Nothing"]) await httpGet(hub, path);
  const keys = [...hub.metrics.samples.keys()].filter((key) => key.startsWith("flotilla_rpc_requests_total"));
  expect(keys).toEqual(['flotilla_rpc_requests_total{method="other",code="not_found"}']);
  expect(hub.metrics.value(keys[0] ?? "")).toBe(4);
});

test("[RP24] a content type that is no protocol of ours gets 415 and its own code", async () => {
  await using hub = await openTestHub({ services: [echoEntry({ anybody: () => "" })] });
  const got = await httpGet(
    hub,
    "/flotilla.test.v1.EchoService/Anybody",
    { ...asRoot, "content-type": "text/html" },
    "POST",
  );
  expect(got.status).toBe(415);
  const line = await hub.log.next(({ message }) => message === "request served");
  expect(line.fields["code"]).toBe("http_415");
});
