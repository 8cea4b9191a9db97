// SPDX-License-Identifier: Apache-2.0
// `GET /health` over real sockets: the hub's own monitor, its route and both HTTP versions. The monitor's time is
// manual.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../src/base/testing/manual-clock.ts";
import { beat, lostBy } from "../../src/health/testing/health-kit.ts";
import { createHealthRoute } from "../../src/hub/health/health-route.ts";
import { HealthRig } from "../../src/hub/health/testing/health-rig.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import type { CallAuthorizer } from "../../src/rpc/auth/authorize-call.ts";
import { advanceUntil } from "../../src/rpc/testing/advance.ts";
import { type EventReader, httpVersions, openEventReader } from "../../src/rpc/testing/event-reader.ts";
import { type Got, httpGet } from "../../src/rpc/testing/http-get.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";

interface Shown {
  readonly cluster?: string;
  readonly state?: string;
  readonly reason?: string;
  readonly clusters?: readonly Shown[];
}

/** Each event as one line: `snapshot a:live,b:live`, `state a disconnected`, `removed a`. */
function summaryOf(text: string): readonly string[] {
  return [...text.matchAll(/^event: (.+)\nid: .+\ndata: (.+)\n\n/gm)].map(([, name = "", data = ""]) => {
    const shown = JSON.parse(data) as Shown;
    const present = shown.clusters?.map(({ cluster, state }) => `${cluster}:${state}`).join();
    return [name, present ?? shown.cluster, shown.state].filter((part) => part !== undefined).join(" ");
  });
}

function eventsOf(text: string): readonly Shown[] {
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data) as Shown);
}

function lastIdOf(text: string): string {
  return [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? "";
}

const untilLines = async (reader: EventReader, count: number): Promise<readonly string[]> =>
  summaryOf(await reader.until((text) => summaryOf(text).length >= count));

/** A user may get the clusters listed for it, by name and in no other way; `root` may get all. */
function authorizerOf(grants: Readonly<Record<string, readonly string[]>>): CallAuthorizer {
  return {
    isAllowed: ({ user }, request) =>
      request.kind === "resource" &&
      request.verb === "get" &&
      request.apiGroup === "fleet.flotilla.dev" &&
      request.resource === "clusters" &&
      request.name !== "" &&
      (user === "root" || (Object.hasOwn(grants, user) && (grants[user] ?? []).includes(request.name))),
  };
}

const all = authorizerOf({});

let rig: HealthRig;

beforeEach(() => {
  rig = new HealthRig();
  rig.arrive("a");
  rig.arrive("b");
});

afterEach(() => {
  rig.health.stop();
  expect(rig.clock.timerCount).toBe(0);
  expect(rig.health.subscriberCount).toBe(0);
});

function openHealthHub(authorizer = all): Promise<TestHub> {
  const { health, clock } = rig;
  return openTestHub({ authorizer, routes: [createHealthRoute({ health, clock, authorizer })] });
}

/** Resolves when that many streams were served to their end, so that nothing of them is left. */
async function untilServed(hub: TestHub, count: number): Promise<void> {
  const isServed = ({ message }: { message: string }): boolean => message === "request served";
  await hub.log.next(() => hub.log.lines.filter(isServed).length >= count);
  await settle();
}

function getDocument(hub: TestHub, token = "root"): Promise<Got> {
  return httpGet(hub, "/health", { authorization: `Bearer ${token}` });
}

describe.each(httpVersions)("the stream of /health over %s", (version) => {
  test("[R-14, R-17] begins with the present state, tells each change, and a heartbeat while nothing changes", async () => {
    rig.lose("b");
    await using hub = await openHealthHub();
    {
      using reader = await openEventReader(hub, "/health", { version });
      expect(reader.status).toBe(200);
      expect(reader.headers["content-type"]).toBe("text/event-stream");
      expect(await untilLines(reader, 1)).toEqual(["snapshot a:live,b:disconnected"]);
      rig.lose("a");
      expect((await untilLines(reader, 2)).slice(1)).toEqual(["state a disconnected"]);
      rig.arrive("b");
      expect((await untilLines(reader, 4)).slice(2)).toEqual(["state b catchingUp", "state b live"]);
      rig.lose("b");
      await untilLines(reader, 5);
      const heartbeat = reader.until((text) => text.endsWith(": heartbeat\n\n"));
      expect(await advanceUntil(rig.clock, heartbeat)).toBeGreaterThanOrEqual(15_000);
    }
    await untilServed(hub, 1);
  });

  test("[R-18] without a token, or with one that does not count, there is 401 and no event", async () => {
    await using hub = await openHealthHub();
    for (const authorization of ["", "Bearer forged", "Basic cm9vdDpyb290"]) {
      using reader = await openEventReader(hub, "/health", { version, headers: { authorization } });
      expect(reader.status).toBe(401);
      expect(reader.headers["www-authenticate"]).toBe('Bearer realm="flotilla"');
      expect(reader.headers["content-type"]).toBe("application/json");
      await reader.ended;
      expect(JSON.parse(reader.text())).toMatchObject({ code: "UNAUTHENTICATED" });
    }
    expect(rig.health.subscriberCount).toBe(0);
  });

  test("[R-18] [lesson navigator-7.3.3] a cluster that the caller may not get is absent from stream and resumed stream", async () => {
    await using hub = await openHealthHub(authorizerOf({ nobody: ["a"] }));
    const headers = { authorization: "Bearer nobody" };
    let lastEventId = "";
    {
      using reader = await openEventReader(hub, "/health", { version, headers });
      expect(await untilLines(reader, 1)).toEqual(["snapshot a:live"]);
      rig.lose("b");
      rig.lose("a");
      expect((await untilLines(reader, 2)).slice(1)).toEqual(["state a disconnected"]);
      expect(reader.text()).not.toContain('"b"');
      lastEventId = lastIdOf(reader.text());
    }
    rig.arrive("b");
    rig.lose("b");
    rig.arrive("a");
    rig.health.remove(parseClusterId("b"));
    {
      using reader = await openEventReader(hub, "/health", {
        version,
        headers: { ...headers, "last-event-id": lastEventId },
      });
      expect(await untilLines(reader, 1)).toEqual(["state a live"]);
      expect(reader.text()).not.toContain('"b"');
    }
    await untilServed(hub, 2);
  });

  test("a reader that comes back gets what it missed by Last-Event-ID, and no snapshot", async () => {
    await using hub = await openHealthHub();
    let lastEventId = "";
    {
      using reader = await openEventReader(hub, "/health", { version });
      await untilLines(reader, 1);
      lastEventId = lastIdOf(reader.text());
    }
    rig.lose("b");
    rig.health.remove(parseClusterId("a"));
    {
      using reader = await openEventReader(hub, "/health", { version, headers: { "last-event-id": lastEventId } });
      expect(await untilLines(reader, 2)).toEqual(["state b disconnected", "removed a"]);
    }
    await untilServed(hub, 2);
  });

  test("[HE12] a reader that stops reading misses states in between, and gets the last one when it reads again", async () => {
    await using hub = await openHealthHub();
    {
      using reader = await openEventReader(hub, "/health", { version });
      await untilLines(reader, 1);
      reader.pause();
      // Rounds below the buffer's bound of 256 changes, with time to send: it folds only once the connection takes no
      // more.
      const startPosition = rig.health.position;
      const roundCount = version === "HTTP/2" ? 20 : 150;
      for (let round = 0; round < roundCount; round += 1) {
        for (let change = 0; change < 50; change += 1) {
          rig.lose("a");
          rig.arrive("a");
        }
        await settle();
      }
      rig.lose("a");
      rig.lose("b");
      const changeCount = rig.health.position - startPosition;
      reader.resume();
      const lastId = `id: run_test-${rig.health.position}\n`;
      const lines = summaryOf(await reader.until((text) => text.includes(lastId) && text.endsWith("\n\n")));
      expect(lines.slice(-2)).toEqual(["state a disconnected", "state b disconnected"]);
      expect(lines.length).toBeLessThan(changeCount);
      rig.arrive("b");
      await untilLines(reader, lines.length + 1);
    }
    await untilServed(hub, 1);
  });

  test("[RP31] ends when its token is revoked, and nothing that changes later is sent", async () => {
    await using hub = await openHealthHub();
    using reader = await openEventReader(hub, "/health", { version });
    await untilLines(reader, 1);
    hub.tokens.revoke("root");
    rig.lose("a");
    expect(await reader.ended).toBe("ended");
    expect(summaryOf(reader.text())).toEqual(["snapshot a:live,b:live"]);
    expect(rig.health.subscriberCount).toBe(0);
  });

  test("[RP32] ends when the hub drains, which waits for nobody", async () => {
    await using hub = await openHealthHub();
    using reader = await openEventReader(hub, "/health", { version });
    await untilLines(reader, 1);
    expect(await hub.endpoint.drain(60_000)).toEqual({ cutCount: 0 });
    expect(await reader.ended).toBe("ended");
    expect(rig.health.subscriberCount).toBe(0);
  });
});

describe("the document of /health", () => {
  test("[R-15] has status 200 and the values of the stream, whatever the state of the clusters", async () => {
    rig.lose("a");
    rig.lose("b");
    await using hub = await openHealthHub();
    const got = await getDocument(hub);
    expect(got.status).toBe(200);
    expect(got.headers["content-type"]).toBe("application/json");
    expect(got.headers["cache-control"]).toBe("no-store");
    const document = JSON.parse(got.body) as Shown;
    expect(document.clusters?.map(({ cluster, state }) => `${cluster}:${state}`)).toEqual([
      "a:disconnected",
      "b:disconnected",
    ]);
    {
      using reader = await openEventReader(hub, "/health");
      await untilLines(reader, 1);
      expect(eventsOf(reader.text())[0]?.clusters).toEqual(document.clusters);
    }
    await untilServed(hub, 2);
  });

  test("[R-18] is refused without a token, and has only the clusters that the caller may get", async () => {
    await using hub = await openHealthHub(authorizerOf({ nobody: ["b"] }));
    expect((await httpGet(hub, "/health")).status).toBe(401);
    const { body } = await getDocument(hub, "nobody");
    expect((JSON.parse(body) as Shown).clusters?.map(({ cluster }) => cluster)).toEqual(["b"]);
    expect(body).not.toContain('"a"');
  });

  test("is not served to methods that write", async () => {
    await using hub = await openHealthHub();
    expect((await httpGet(hub, "/health", { authorization: "Bearer root" }, "POST")).status).toBe(405);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("policy is away");
      },
    ],
    ["does not come at once", () => Promise.resolve(true)],
    ["fails later", () => Promise.reject(new Error("policy is away"))],
  ])("[R-18] a permission check that %s shows no cluster, and is logged once per request", async (_name, isAllowed) => {
    await using hub = await openHealthHub({ isAllowed });
    const got = await getDocument(hub);
    expect(got.status).toBe(200);
    expect((JSON.parse(got.body) as Shown).clusters).toEqual([]);
    expect(hub.log.lines.filter(({ level }) => level === "error")).toHaveLength(1);
  });
});

test("[R-16] each event says cluster, state, since when, reason, attempts and the next one; three faults are three reasons", async () => {
  await using hub = await openHealthHub();
  {
    using reader = await openEventReader(hub, "/health");
    await untilLines(reader, 1);
    const epochs = [rig.arrive("a"), rig.arrive("b"), rig.arrive("c")];
    const before = rig.health.position;
    for (const [index, fault] of ["tcp", "tls", "unauthorized"].entries()) {
      const apiServer = lostBy(fault, { attemptCount: 2, retryInMs: 4_000 });
      rig.feed(["a", "b", "c"][index] ?? "", beat(epochs[index], { apiServer }));
    }
    const lastId = `id: run_test-${rig.health.position}\n`;
    const text = await reader.until((read) => read.includes(lastId) && read.endsWith("\n\n"));
    const lost = eventsOf(text).slice(before - rig.health.position);
    expect(lost.map(({ cluster, reason }) => `${cluster} ${reason}`)).toEqual(["a tcp", "b tls", "c unauthorized"]);
    for (const event of lost) {
      expect(event).toMatchObject({
        state: "disconnected",
        since: "2026-01-01T00:00:00.000Z",
        sinceMsAgo: 0,
        attemptCount: 2,
        nextAttemptInMs: 4_000,
      });
    }
  }
  await untilServed(hub, 1);
});

test("[R-25] 50 readers over connections of their own each get every change, and the monitor waits for none of them", async () => {
  await using hub = await openHealthHub();
  const readers: EventReader[] = [];
  for (let index = 0; index < 50; index += 1) {
    const version = httpVersions[index % 2] ?? "HTTP/1.1";
    readers.push(await openEventReader(hub, "/health", { version, isPaused: index === 0 }));
  }
  const reading = readers.slice(1);
  await Promise.all(reading.map((reader) => untilLines(reader, 1)));
  expect(rig.health.subscriberCount).toBe(50);
  const lonely = new HealthRig();
  for (const one of [rig, lonely]) {
    if (one === lonely) for (const name of ["a", "b"]) one.arrive(name);
    // All within one turn: no reader has had a chance to take anything, and none was needed.
    for (let round = 0; round < 20; round += 1) {
      one.lose("a");
      one.arrive("a");
    }
  }
  lonely.health.stop();
  expect(rig.transitions).toEqual(lonely.transitions);
  const changeCount = rig.pathOf("a").length - 2;
  for (const lines of await Promise.all(reading.map((reader) => untilLines(reader, 1 + changeCount)))) {
    expect(lines).toEqual([
      "snapshot a:live,b:live",
      ...rig
        .pathOf("a")
        .slice(2)
        .map((state) => `state a ${state}`),
    ]);
  }
  expect(hub.metrics.value('flotilla_rpc_streams{method="/health"}')).toBe(50);
  for (const reader of readers) reader[Symbol.dispose]();
  await untilServed(hub, 50);
});
