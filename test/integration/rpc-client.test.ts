// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from "node:net";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../src/base/error.ts";
import { silentLogger } from "../../src/base/log.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createHubTransport, type HubTransport, type HubTransportOptions } from "../../src/rpc/client/client.ts";
import { callMethod, textsOf } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { echoMethod } from "../../src/rpc/testing/echo-service.ts";
import { openScratchFolder } from "../../src/rpc/testing/scratch.ts";
import { openTestHub } from "../../src/rpc/testing/test-hub.ts";
import { openOwnCertificate } from "../../src/rpc/tls/hub-certificate.ts";

const random = createSeededRandom("client");

function open(options: Omit<HubTransportOptions, "clock" | "random">): HubTransport & Disposable {
  const transport = createHubTransport({ clock: systemClock, random, ...options });
  return { ...transport, [Symbol.dispose]: () => transport.close() };
}

async function listenAnywhere(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("[RP36] a failure of a handler", () => {
  test("reaches the client as the same FlotillaError: code, sentence, ids, and nothing of its cause", async () => {
    const fail = (): never => {
      throw new FlotillaError("FENCED", "another agent has taken over", {
        cause: new Error("password is hunter2"),
        ids: { cluster: "c1", epoch: 7 },
      });
    };
    await using hub = await openTestHub({
      services: [
        echoEntry({
          echo: fail,
          // oxlint-disable-next-line require-yield
          async *watch() {
            fail();
          },
        }),
      ],
    });
    using plain = open({ url: hub.plainUrl, token: "root" });
    for (const transport of [hub.transport("root"), plain]) {
      for (const name of ["Echo", "Watch"]) {
        const failure: unknown = await callMethod(transport, echoMethod(name)).catch((reason: unknown) => reason);
        expect(failure).toBeInstanceOf(FlotillaError);
        expect(failure).toMatchObject({
          code: "FENCED",
          message: "another agent has taken over",
          ids: { cluster: "c1", epoch: 7 },
        });
        expect(JSON.stringify(failure)).not.toContain("hunter2");
      }
    }
  });
});

test("[CL30, L18] a token that no header can hold is refused before the call, and is not part of the error", async () => {
  for (const token of ["s3cr3t\nline", () => "s3cr3t value"]) {
    for (const url of ["https://127.0.0.1:1", "http://127.0.0.1:1"]) {
      using transport = open({ url, token });
      const failure: unknown = await callMethod(transport, echoMethod("Echo")).catch((reason: unknown) => reason);
      expect(failure).toMatchObject({ code: "CONFIG_INVALID", message: "the access token cannot be sent in a header" });
    }
  }
});

describe("[RP37] a hub that cannot be reached", () => {
  test("is UNAVAILABLE and named, over TLS and plain", async () => {
    const server = createServer();
    const port = await listenAnywhere(server);
    await new Promise((resolve) => server.close(resolve));
    for (const url of [`https://127.0.0.1:${port}`, `http://127.0.0.1:${port}`]) {
      using transport = open({ url });
      await expect(callMethod(transport, echoMethod("Echo"))).rejects.toMatchObject({
        code: "UNAVAILABLE",
        message: `the hub at ${url} cannot be reached: nothing listens there`,
      });
      await expect(callMethod(transport, echoMethod("Watch"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    }
  });

  test("by name is UNAVAILABLE", async () => {
    using transport = open({ url: "https://hub..invalid:7443" }); // no name at all, so no name server is asked
    await expect(callMethod(transport, echoMethod("Echo"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("because it is no TLS listener gets a sentence that says so", async () => {
    await using hub = await openTestHub();
    using transport = open({ url: hub.plainUrl.replace("http:", "https:") });
    await expect(callMethod(transport, echoMethod("Echo"))).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: `${transport.url} does not speak TLS with HTTP/2; check scheme and port`,
    });
  });

  test("because it never answers ends at the client's deadline", async () => {
    const server = createServer((socket) => socket.on("error", () => undefined).resume());
    const port = await listenAnywhere(server);
    using transport = open({ url: `http://127.0.0.1:${port}`, unaryTimeoutMs: 30 });
    await expect(callMethod(transport, echoMethod("Echo"))).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    transport.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("[RP37] a certificate", () => {
  test("of another CA is CERTIFICATE_INVALID with what to check", async () => {
    await using hub = await openTestHub();
    await using other = await openTestHub();
    for (const [options, why] of [
      [{ ca: other.ca }, "is not signed by the CA given; check the CA file"],
      [{}, "is not signed by a CA that this machine trusts, and no CA was given; give the hub's CA file"],
    ] as const) {
      using transport = open({ url: hub.url, ...options });
      await expect(callMethod(transport, echoMethod("Echo"))).rejects.toMatchObject({
        code: "CERTIFICATE_INVALID",
        message: `the certificate of ${hub.url} ${why}`,
      });
    }
  });

  // Only Linux has all of 127.0.0.0/8 on its loopback.
  test.runIf(process.platform === "linux")("of another name is CERTIFICATE_INVALID", async () => {
    await using scratch = await openScratchFolder();
    const certificate = await openOwnCertificate({
      folder: scratch.path,
      names: [],
      clock: systemClock,
      log: silentLogger,
    });
    await using hub = await openTestHub({ tls: { host: "127.0.0.2", port: 0, portOption: "--port", certificate } });
    using transport = open({ url: hub.url, caFile: scratch.file("ca.crt") });
    await expect(callMethod(transport, echoMethod("Echo"))).rejects.toMatchObject({
      code: "CERTIFICATE_INVALID",
      message: `the certificate of ${hub.url} is for another name; use a name that it contains`,
    });
  });
});

describe("[RP38] before anything is sent", () => {
  test.each([
    [
      "http://hub.example:7080",
      "http://hub.example:7080 would send the token unencrypted; use https:// for a hub on another machine",
    ],
    ["hub.example:7443", '"hub.example:7443" is not the address of a hub; write https://HOST:PORT'],
    ["", '"" is not the address of a hub; write https://HOST:PORT'],
    ["ftp://hub.example", '"ftp://hub.example" is not the address of a hub; write https://HOST:PORT'],
  ])("the address %s is refused", (url, message) => {
    expect(() => open({ url, token: "secret" })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID", message }));
  });

  test("a CA file that cannot be read is named", () => {
    expect(() => open({ url: "https://hub.example", caFile: "/nothing/ca.crt" })).toThrow(
      "the CA file /nothing/ca.crt cannot be read",
    );
  });
});

describe("[RP39] the client", () => {
  test("carries the request id of the call it serves down to the next hop, and makes one otherwise", async () => {
    await using next = await openTestHub({
      services: [echoEntry({ anybody: (_text, { requestHeader }) => requestHeader.get("x-request-id") ?? "" })],
    });
    await using hub = await openTestHub({
      services: [
        echoEntry({
          async anybody(_text, { values }) {
            const contextValues = values;
            return textsOf(await callMethod(next.transport("root"), echoMethod("Anybody"), { contextValues }))[0] ?? "";
          },
        }),
      ],
    });
    const headers = { "x-request-id": "from-the-edge" };
    expect(textsOf(await callMethod(hub.transport("root"), echoMethod("Anybody"), { headers }))).toEqual([
      "from-the-edge",
    ]);
    expect(textsOf(await callMethod(next.transport("root"), echoMethod("Anybody")))[0]).toMatch(/^req_/);
  });

  test("asks for its token at each call, so that one can be replaced", async () => {
    await using hub = await openTestHub({ services: [echoEntry({ anybody: () => "in" })] });
    let token = "forged";
    using transport = open({ url: hub.plainUrl, token: () => token });
    await expect(callMethod(transport, echoMethod("Anybody"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    token = "nobody";
    expect(textsOf(await callMethod(transport, echoMethod("Anybody")))).toEqual(["in"]);
  });

  test("passes on what the giver of its token throws", async () => {
    await using hub = await openTestHub();
    const giver = (): never => {
      throw new FlotillaError("CONFIG_INVALID", "the token file is gone");
    };
    using transport = open({ url: hub.plainUrl, token: giver });
    await expect(callMethod(transport, echoMethod("Anybody"))).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("rejects an aborted call with the reason given, and tells the hub that it was cancelled", async () => {
    const { promise: running, resolve } = Promise.withResolvers<AbortSignal>();
    const stop = new AbortController();
    await using hub = await openTestHub({
      services: [
        echoEntry({
          async *watch(_text, { signal }) {
            yield "open";
            resolve(signal);
            await new Promise<never>(() => undefined);
          },
        }),
      ],
    });
    const call = callMethod(hub.transport("root"), echoMethod("Watch"), { signal: stop.signal });
    const signal = await running;
    const reason = new Error("view closed");
    const ended = new Promise((done) => signal.addEventListener("abort", done));
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    await ended;
    expect(signal.reason).toMatchObject({ code: 1 });
  });
});
