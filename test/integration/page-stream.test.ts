// SPDX-License-Identifier: Apache-2.0
// The page's stream over real sockets: the hub's own fleet, monitor and service behind both listeners, with tokens that
// end.
import { fromBinary } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { toFlotillaError } from "../../src/base/error.ts";
import { FleetUpdateSchema, type OpenResponse, PageService } from "../../src/gen/flotilla/page/v1/page_pb.ts";
import { PageRig } from "../../src/hub/page/testing/page-rig.ts";
import { clusterView, fleetView } from "../../src/hub/page/testing/test-viewer.ts";
import { advanceUntil } from "../../src/rpc/testing/advance.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import { startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

type SubscriptionInit = ReturnType<typeof fleetView>;

/** A browser that keeps one stream open and remembers what it was shown. */
class Browser {
  readonly messages: OpenResponse[] = [];
  /** The code by which the stream ended. */
  readonly ended: Promise<string>;
  readonly #leaving = new AbortController();
  #wakes: (() => void)[] = [];

  constructor(client: Client<typeof PageService>, ...subscriptions: SubscriptionInit[]) {
    this.ended = this.#read(client, subscriptions);
  }

  /** The states that the fleet view shows, as `a:live b:stale`. */
  states(): string {
    const shown = new Map<string, string>();
    for (const { subscriptionId, isSnapshot, update } of this.messages) {
      if (subscriptionId !== 1) continue;
      const { clusters, removedIds } = fromBinary(FleetUpdateSchema, update);
      if (isSnapshot) shown.clear();
      for (const { id, connection } of clusters) shown.set(id, connection?.state ?? "");
      for (const id of removedIds) shown.delete(id);
    }
    return [...shown]
      .map((pair) => pair.join(":"))
      .sort()
      .join(" ");
  }

  get position(): string {
    return this.messages.findLast(({ subscriptionId }) => subscriptionId === 1)?.position ?? "";
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#wakes.push(resolve));
  }

  leave(): void {
    this.#leaving.abort(new Error("the tab is closed"));
  }

  async #read(client: Client<typeof PageService>, subscriptions: SubscriptionInit[]): Promise<string> {
    try {
      for await (const message of client.open({ subscriptions }, { signal: this.#leaving.signal })) {
        this.messages.push(message);
        for (const wake of this.#wakes.splice(0)) wake();
      }
      return "";
    } catch (reason) {
      return toFlotillaError(reason).code;
    }
  }
}

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
  rig.authorizer.grants.set("nobody", { clusters: ["a"] });
  await rig.arrive("a");
  await rig.arrive("b");
});

afterEach(async () => {
  await rig.stop();
  expect(rig.clock.timerCount).toBe(0);
});

function openPageHub(): Promise<TestHub> {
  return openTestHub({ services: rig.hub.services, authorizer: rig.authorizer });
}

function clientOf(hub: TestHub, token = "root"): Client<typeof PageService> {
  return createClient(PageService, hub.transport(token));
}

async function untilClosed(hub: TestHub, count: number): Promise<void> {
  await hub.log.next(() => hub.log.lines.filter(({ message }) => message === "request served").length >= count);
}

test("[PG8] [PG9] [R-17] a browser sees the fleet, what changes, and after a cut what it missed", async () => {
  await using hub = await openPageHub();
  const first = new Browser(clientOf(hub), fleetView());
  await first.until(() => first.states() === "a:live b:live");
  await rig.lose("b");
  await advanceUntil(
    rig.clock,
    first.until(() => first.states() === "a:live b:disconnected"),
  );
  const { position } = first;
  first.leave();
  await first.ended;
  await rig.lose("a");
  const second = new Browser(clientOf(hub), fleetView(1, position));
  await second.until(() => second.messages.length >= 2);
  expect(second.messages[1]?.isSnapshot).toBe(false);
  expect(second.states()).toContain("a:disconnected");
  second.leave();
  await second.ended;
  await untilClosed(hub, 2);
});

test("[PG15] Subscribe and Unsubscribe of another token find no stream; those of the same one change it", async () => {
  await using hub = await openPageHub();
  const browser = new Browser(clientOf(hub));
  await browser.until(() => browser.messages.length >= 1);
  const streamId = browser.messages[0]?.streamId ?? "";
  hub.tokens.add("thief");
  const refused = clientOf(hub, "thief").subscribe({ streamId, subscription: fleetView() });
  await expect(refused).rejects.toMatchObject({ code: "NOT_FOUND" });
  await clientOf(hub).subscribe({ streamId, subscription: fleetView() });
  await browser.until(() => browser.states() === "a:live b:live");
  await clientOf(hub).unsubscribe({ streamId, subscriptionId: 1 });
  browser.leave();
  await browser.ended;
  await untilClosed(hub, 4);
});

describe("[PG15] the stream ends", () => {
  test("with its token, and nothing that changes later is sent", async () => {
    await using hub = await openPageHub();
    const browser = new Browser(clientOf(hub), fleetView());
    await browser.until(() => browser.states() === "a:live b:live");
    hub.tokens.revoke("root");
    await rig.lose("a");
    expect(await browser.ended).toBe("UNAUTHENTICATED");
    expect(browser.states()).toBe("a:live b:live");
    await untilClosed(hub, 1);
  });

  test("when the hub closes, which waits for nobody", async () => {
    await using hub = await openPageHub();
    const browser = new Browser(clientOf(hub), fleetView());
    await browser.until(() => browser.states() === "a:live b:live");
    expect(await hub.endpoint.drain(60_000)).toEqual({ cutCount: 0 });
    expect(await browser.ended).toBe("UNAVAILABLE");
  });
});

test("[PG12] a viewer with less gets no byte of what is hidden, and NOT_FOUND for it", async () => {
  await using hub = await openPageHub();
  const browser = new Browser(clientOf(hub, "nobody"), fleetView(1), clusterView("b", 2));
  await browser.until(() => browser.messages.some(({ subscriptionId }) => subscriptionId === 2));
  expect(browser.states()).toBe("a:live");
  expect(browser.messages.find(({ subscriptionId }) => subscriptionId === 2)?.refusal?.code).toBe("NOT_FOUND");
  const anonymous = new Browser(createClient(PageService, hub.transport()), fleetView());
  expect(await anonymous.ended).toBe("UNAUTHENTICATED");
  expect(anonymous.messages).toEqual([]);
  browser.leave();
  await browser.ended;
  await untilClosed(hub, 2);
});

test("[PG8] the hub that ships serves the stream, and goes on after a restart with a snapshot", {
  timeout: 60_000,
}, async () => {
  using folder = openTempFolder();
  let position = "";
  for (let start = 0; start < 2; start += 1) {
    await using hub = await startHub(folder.path);
    const browser = new Browser(createClient(PageService, hub.connect()), fleetView(1, position));
    await browser.until(() => browser.messages.length >= 2);
    expect(browser.messages[1]).toMatchObject({ subscriptionId: 1, isSnapshot: true });
    ({ position } = browser);
    browser.leave();
    await browser.ended;
  }
});
