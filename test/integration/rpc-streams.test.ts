// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "../../src/base/assert.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { callMethod, textsOf } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { echoMethod } from "../../src/rpc/testing/echo-service.ts";
import { openTestHub } from "../../src/rpc/testing/test-hub.ts";

/** A stream that says "open" and then waits for ever, whatever its signal says; `opened` resolves when it runs. */
function createIdleStream(): { opened: Promise<AbortSignal>; watch: Parameters<typeof echoEntry>[0]["watch"] & {} } {
  const { promise, resolve } = Promise.withResolvers<AbortSignal>();
  return {
    opened: promise,
    async *watch(_text, { signal }) {
      yield "open";
      resolve(signal);
      await new Promise<never>(() => undefined);
    },
  };
}

const streamCount = 'flotilla_rpc_streams{method="/flotilla.test.v1.EchoService/Watch"}';

describe("[RP31][U-13] a live stream whose token ends", () => {
  test.each(["revoke", "expire"] as const)(
    "is cut with UNAUTHENTICATED on %s, even while its handler waits for ever",
    async (end) => {
      const { opened, watch } = createIdleStream();
      await using hub = await openTestHub({ services: [echoEntry({ watch })] });
      const call = callMethod(hub.transport("root"), echoMethod("Watch"), { text: "" });
      const signal = await opened;
      expect(hub.metrics.value(streamCount)).toBe(1);
      hub.tokens[end]("root");
      await expect(call).rejects.toMatchObject({
        code: "UNAUTHENTICATED",
        message: "the token was revoked or has expired; get a new one",
      });
      expect(signal.aborted).toBe(true);
      expect(hub.metrics.value(streamCount)).toBe(0);
    },
  );

  test("is cut also where the client sends, and other tokens' streams live on", async () => {
    const { opened, watch } = createIdleStream();
    const { promise: chatting, resolve } = Promise.withResolvers<void>();
    const stop = new AbortController();
    await using hub = await openTestHub({
      services: [
        echoEntry({
          watch,
          async *chat(texts) {
            for await (const text of texts) yield text;
            resolve();
            await new Promise<never>(() => undefined);
          },
        }),
      ],
      authorizer: { isAllowed: () => true },
    });
    const other = callMethod(hub.transport("nobody"), echoMethod("Watch"), { text: "", signal: stop.signal });
    await opened;
    const chat = callMethod(hub.transport("root"), echoMethod("Chat"), { text: "hello" });
    await chatting;
    hub.tokens.revoke("root");
    await expect(chat).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect(hub.metrics.value(streamCount)).toBe(1);
    stop.abort(new Error("test is over"));
    await expect(other).rejects.toThrow("test is over");
  });

  test("lets a single answer that is under way finish, so that a caller can revoke its own token", async () => {
    await using hub = await openTestHub({
      services: [
        echoEntry({
          echo() {
            hub.tokens.revoke("root");
            return "revoked";
          },
        }),
      ],
    });
    expect(textsOf(await callMethod(hub.transport("root"), echoMethod("Echo")))).toEqual(["revoked"]);
  });
});

describe("[RP26] the deadline of a single answer", () => {
  test("ends a handler that overruns, and one that ignores its signal, with DEADLINE_EXCEEDED", async () => {
    const clock = new ManualClock();
    const { promise: running, resolve } = Promise.withResolvers<AbortSignal>();
    await using hub = await openTestHub({
      clock,
      deadlines: { defaultMs: 1_000, maxMs: 5_000 },
      services: [
        echoEntry({
          echo(_text, { signal }) {
            resolve(signal);
            return new Promise<never>(() => undefined);
          },
        }),
      ],
    });
    const call = callMethod(hub.transport("root"), echoMethod("Echo"));
    call.catch(() => undefined);
    const signal = await running;
    await clock.advance(4_999); // our client sends a deadline of its own, so the maximum counts
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
    await expect(call).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  });

  test("is the default where the client sets none", async () => {
    const clock = new ManualClock();
    const { promise: running, resolve } = Promise.withResolvers<void>();
    await using hub = await openTestHub({
      clock,
      deadlines: { defaultMs: 1_000, maxMs: 5_000 },
      services: [
        echoEntry({
          echo() {
            resolve();
            return new Promise<never>(() => undefined);
          },
        }),
      ],
    });
    const call = fetch(`${hub.plainUrl}/flotilla.test.v1.EchoService/Echo`, {
      method: "POST",
      headers: { authorization: "Bearer root", "content-type": "application/json" },
      body: '""',
    });
    await running;
    await clock.advance(1_000);
    const answer = await call;
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ code: "deadline_exceeded" });
  });

  test("of the client itself counts when it is shorter, whatever the handler does", async () => {
    await using hub = await openTestHub({
      services: [echoEntry({ echo: () => new Promise<never>(() => undefined) })],
    });
    const answer = await fetch(`${hub.plainUrl}/flotilla.test.v1.EchoService/Echo`, {
      method: "POST",
      headers: { authorization: "Bearer root", "content-type": "application/json", "connect-timeout-ms": "20" },
      body: '""',
    });
    expect(await answer.json()).toMatchObject({ code: "deadline_exceeded" });
  });
});

describe("[RP35] a failure that nobody foresaw", () => {
  test("shows the caller nothing but the request id, and the log its cause", async () => {
    await using hub = await openTestHub({
      services: [
        echoEntry({
          echo() {
            throw new TypeError("password is hunter2");
          },
          // oxlint-disable-next-line require-yield
          async *watch() {
            throw new TypeError("password is hunter2");
          },
        }),
      ],
    });
    for (const name of ["Echo", "Watch"]) {
      const headers = { "x-request-id": `req-${name}` };
      const call = callMethod(hub.transport("root"), echoMethod(name), { headers });
      await expect(call).rejects.toMatchObject({
        code: "INTERNAL",
        message: `unexpected internal error; search the hub's log for request req-${name}`,
        ids: { requestId: `req-${name}` },
      });
      const line = await hub.log.next(
        ({ fields, level }) => level === "error" && fields["requestId"] === `req-${name}`,
      );
      expect(line.error).toMatchObject({ message: "password is hunter2" });
    }
  });

  test("is handed to main when it is a bug of ours", async () => {
    const bugs: BugError[] = [];
    await using hub = await openTestHub({
      onBug: (bug) => bugs.push(bug),
      services: [
        echoEntry({
          echo() {
            throw new BugError("never");
          },
        }),
      ],
    });
    await expect(callMethod(hub.transport("root"), echoMethod("Echo"))).rejects.toMatchObject({ code: "INTERNAL" });
    expect(bugs.map((bug) => bug.message)).toEqual(["never"]);
  });
});
