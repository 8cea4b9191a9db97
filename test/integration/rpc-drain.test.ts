// SPDX-License-Identifier: Apache-2.0

import { connect } from "node:http2";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../src/base/random.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { listenOn } from "../../src/rpc/listener/listen.ts";
import { advanceUntil } from "../../src/rpc/testing/advance.ts";
import { callMethod, textsOf } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { echoMethod } from "../../src/rpc/testing/echo-service.ts";
import { connectPlain } from "../../src/rpc/testing/raw-peer.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";

/** A hub whose Echo answers when told to; `running` resolves when that many calls of it wait. */
async function openWaitingHub(
  options: { clock?: ManualClock; callCount?: number } = {},
): Promise<{ hub: TestHub; running: Promise<void>; answer: (text: string) => void }> {
  const running = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  let callCount = 0;
  const hub = await openTestHub({
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    services: [
      echoEntry({
        echo() {
          callCount += 1;
          if (callCount >= (options.callCount ?? 1)) running.resolve();
          return answer.promise;
        },
        async *watch() {
          yield "open";
          running.resolve();
          await new Promise<never>(() => undefined);
        },
      }),
    ],
  });
  return { hub, running: running.promise, answer: answer.resolve };
}

describe("[RP11] drain", () => {
  test("lets an answer in flight finish over both HTTP versions, says GOAWAY and accepts nobody new", async () => {
    const { hub, running, answer } = await openWaitingHub({ callCount: 2 });
    await using _hub = hub;
    const http2 = callMethod(hub.transport("root"), echoMethod("Echo"));
    const http1 = fetch(`${hub.plainUrl}/flotilla.test.v1.EchoService/Echo`, {
      method: "POST",
      headers: { authorization: "Bearer root", "content-type": "application/json" },
      body: '""',
    });
    const idle = connect(hub.url, { ca: hub.ca });
    await new Promise((resolve) => idle.once("remoteSettings", resolve));
    const goaway = new Promise((resolve) => idle.once("goaway", resolve));
    await running;
    const drained = hub.endpoint.drain(60_000);
    expect(await goaway).toBe(0);
    await expect(connectPlain(hub.plainUrl)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    answer("done");
    expect(textsOf(await http2)).toEqual(["done"]);
    expect(await (await http1).json()).toBe("done");
    expect(await drained).toEqual({ cutCount: 0 });
    expect(await hub.endpoint.drain(0)).toEqual({ cutCount: 0 });
  });

  test("[RP32] ends streams at once with UNAVAILABLE, so that clients resume elsewhere", async () => {
    const { hub, running } = await openWaitingHub();
    await using _hub = hub;
    const watch = callMethod(hub.transport("root"), echoMethod("Watch"));
    await running;
    const drained = hub.endpoint.drain(60_000);
    await expect(watch).rejects.toMatchObject({ code: "UNAVAILABLE", message: "the hub is closing; connect again" });
    expect(await drained).toEqual({ cutCount: 0 });
  });

  test("cuts what is still open at the deadline, and says how much that was", async () => {
    const clock = new ManualClock();
    const { hub, running } = await openWaitingHub({ clock });
    await using _hub = hub;
    const call = callMethod(hub.transport("root"), echoMethod("Echo"));
    call.catch(() => undefined);
    await running;
    const drained = hub.endpoint.drain(5_000);
    expect(await advanceUntil(clock, drained)).toBeGreaterThanOrEqual(5_000);
    expect(await drained).toEqual({ cutCount: 1 });
    await expect(call).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(clock.timerCount).toBe(0);
  });

  test("closes idle and half-open connections without waiting for them", async () => {
    await using hub = await openTestHub();
    const idle = await connectPlain(hub.plainUrl);
    idle.socket.write("GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await idle.until("404");
    const silent = await connectPlain(hub.url);
    expect(await hub.endpoint.drain(60_000)).toEqual({ cutCount: 0 });
    await Promise.all([idle.closed, silent.closed]);
  });
});

describe("[RP3] a port", () => {
  test("in use is LISTEN_FAILED with a sentence that says what to do, and leaves nothing open", async () => {
    const rival = createServer();
    await new Promise<void>((resolve) => rival.listen(0, "127.0.0.1", resolve));
    const address = rival.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const opening = openTestHub({ plain: { host: "127.0.0.1", port, portOption: "--http-port" } });
    await expect(opening).rejects.toMatchObject({
      code: "LISTEN_FAILED",
      message: `port ${port} on 127.0.0.1 is in use by another process; choose another with --http-port`,
    });
    await new Promise((resolve) => rival.close(resolve));
  });

  test("on a host that is not of this machine is LISTEN_FAILED too", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const server = createServer();
    listenOn(server, { host: "192.0.2.1", port: 7443, portOption: "--port" }).catch(resolve);
    expect(await promise).toMatchObject({
      code: "LISTEN_FAILED",
      message: "port 7443 on 192.0.2.1 cannot be opened, because 192.0.2.1 is not an address of this machine",
    });
  });
});

test("[RP2] the plain listener refuses every host but loopback", async () => {
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "hub.example", "127.0.0.1.example"]) {
    const opening = openTestHub({ plain: { host, port: 0, portOption: "--http-port" }, random: createSeededRandom(1) });
    await expect(opening).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: `the plain HTTP listener binds loopback only, not ${host}; use the TLS listener for other hosts`,
    });
  }
});
