// SPDX-License-Identifier: Apache-2.0
// Watches over real connections: what a client does, or does not do, to its own stream and to those of others.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { createSubject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import { defaultListenerLimits } from "../../src/rpc/listener/listener-limits.ts";
import { advanceUntil } from "../../src/rpc/testing/advance.ts";
import { connectSecure } from "../../src/rpc/testing/raw-peer.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";
import { eventTexts } from "../support/api-storage.ts";
import { WatchClient } from "../support/api-watch-client.ts";

const token = "token";
const collection = "/api/v1/namespaces/n/configmaps";

let server: TestApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await startApiServer(new Map([[token, createSubject({ user: "admin", groups: [mastersGroup] })]]));
  client = new KubeClient({ url: server.url, ca: server.ca, token });
  await client.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "n" } } });
});

afterEach(async () => {
  client.close();
  await server.close();
});

const watch = (query: string): Promise<WatchClient> =>
  WatchClient.open(server, `${collection}?watch=true&${query}`, token);

async function write(name: string, value: string): Promise<string> {
  const body = { metadata: { name }, data: { value } };
  const { status, body: written } = await client.send("PUT", `${collection}/${name}`, { body });
  const answer = status === 404 ? await client.ask("POST", collection, { body }) : written;
  return (answer as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

describe("watches over connections", () => {
  test("[AP11] a client that stops reading is ended and can list again; others are eventTexts everything meanwhile", async () => {
    const start = await write("a", "first");
    const slow = await watch(`resourceVersion=${start}`);
    const steady = await watch(`resourceVersion=${start}`);
    slow.pause();
    // The window holds 16 MB, counted with lines; some more fits into buffers of the connection.
    const versions: string[] = [];
    for (let index = 0; index < 60; index += 1) versions.push(await write("a", `${index} ${"x".repeat(400_000)}`));
    expect(eventTexts(await steady.untilTold(versions.length))).toEqual(
      versions.map((version) => `MODIFIED a@${version}`),
    );
    slow.resume();
    await slow.ended;
    const seen = eventTexts(slow.events);
    expect(seen.length).toBeLessThan(versions.length);
    // What it was eventTexts before has no gap.
    expect(seen).toEqual(versions.slice(0, seen.length).map((version) => `MODIFIED a@${version}`));
    const late = await watch(`resourceVersion=${start}`);
    await late.ended;
    expect(late.events).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
    await steady.close();
  });

  test("[AP7] a hundred watches are each eventTexts every change once, in order", async () => {
    const queries = [
      "labelSelector=",
      "fieldSelector=metadata.name%3Da",
      "allowWatchBookmarks=true",
      "resourceVersion=0",
    ];
    const watches = await Promise.all(
      Array.from({ length: 100 }, (_, index) => watch(queries[index % queries.length] ?? "")),
    );
    const versions = [];
    for (let index = 0; index < 20; index += 1) versions.push(await write("a", `${index}`));
    const expected = versions.map((version, index) => `${index === 0 ? "ADDED" : "MODIFIED"} a@${version}`);
    for (const each of watches) expect(eventTexts(await each.untilTold(expected.length))).toEqual(expected);
    await Promise.all(watches.map((each) => each.close()));
  });

  test("a closing server ends watches at once and answers what is under way", async () => {
    const open = await watch("");
    const writes = Array.from({ length: 20 }, (_, index) =>
      write(`w${index}`, "x").then(
        () => "written",
        () => "refused",
      ),
    );
    await server.server.close();
    await open.ended;
    expect(await Promise.all(writes)).toHaveLength(20);
  });

  test("[AP41] [RP55] a watch under a token is not cut with the connections that show none", async () => {
    const clock = new ManualClock();
    const admin = createSubject({ user: "admin", groups: [mastersGroup] });
    const timed = await startApiServer(new Map([[token, admin]]), { listenerClock: clock });
    const known = await WatchClient.open(timed, "/api/v1/namespaces?watch=true&resourceVersion=0", token);
    const stranger = await connectSecure(timed.url, "http/1.1", timed.ca);
    const toldBefore = (await known.untilTold(1)).length;
    await advanceUntil(clock, stranger.closed);
    await clock.advance(defaultListenerLimits.pingTimeoutMs); // by then an open request is cut as well
    await timed.server.client.create("namespaces", { metadata: { name: "late" } });
    await known.untilTold(toldBefore + 1);
    expect(eventTexts(known.events).at(-1)).toMatch(/^ADDED late@/);
    await known.close();
    await timed.close();
  });
});
