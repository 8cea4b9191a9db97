// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import type { HubHop, LinkUpdate, ViewRefusal } from "./link.ts";
import { LinkHost } from "./link-host.ts";
import { PortLink } from "./port-link.ts";
import type { LinkPort, TabMessage, WorkerMessage } from "./port-messages.ts";
import { ScriptedHub } from "./testing/scripted-hub.ts";
import { soon } from "./testing/soon.ts";

let hub: ScriptedHub;
let host: LinkHost;
let endTab: Map<string, () => void>;

beforeEach(() => {
  hub = new ScriptedHub();
  endTab = new Map();
  host = new LinkHost({
    ...hub.surroundings,
    whenGone: (lockName) => new Promise((resolve) => endTab.set(lockName, resolve)),
  });
});

/** A tab whose side of the port can be frozen. Its clock shows a million more than the worker's. */
class Tab {
  readonly link: PortLink;
  readonly updates: LinkUpdate[] = [];
  readonly refusals: ViewRefusal[] = [];
  isFrozen = false;
  #held: WorkerMessage[] = [];
  #toTab: (message: WorkerMessage) => void = () => undefined;
  #toWorker: (message: TabMessage) => void = () => undefined;

  constructor(name: string) {
    const workerEnd: LinkPort<TabMessage, WorkerMessage> = {
      postMessage: (message) => (this.isFrozen ? void this.#held.push(message) : this.#toTab(message)),
      listen: (listener) => (this.#toWorker = listener),
      close: () => undefined,
    };
    const tabEnd: LinkPort<WorkerMessage, TabMessage> = {
      postMessage: (message) => this.#toWorker(message),
      listen: (listener) => (this.#toTab = listener),
      close: () => undefined,
    };
    this.link = new PortLink(tabEnd, () => hub.nowMs + 1_000_000);
    host.add(workerEnd);
    this.#toWorker({ kind: "hello", lockName: name });
  }

  get heldCount(): number {
    return this.#held.filter(({ kind }) => kind === "update").length;
  }

  showFleet(): () => void {
    return this.link.subscribe(
      { case: "fleet", value: {} },
      { update: (update) => void this.updates.push(update), refused: (refusal) => void this.refusals.push(refusal) },
    );
  }

  thaw(): void {
    this.isFrozen = false;
    for (const message of this.#held.splice(0)) this.#toTab(message);
  }
}

async function openStream(count = 1): Promise<void> {
  await soon(() => expect(hub.streams).toHaveLength(count));
  hub.stream.send({ streamId: `stream-${count}`, nowMs: 500n, wallMs: 900n });
}

function sendFleet(subscriptionId: number, position: string): void {
  hub.stream.send({
    subscriptionId,
    position,
    update: new Uint8Array([subscriptionId]),
    nowMs: 1_000n,
    wallMs: 2_000n,
  });
}

test("[PG8] [R-19] eight tabs have one stream, and each gets its own view", async () => {
  const tabs = Array.from({ length: 8 }, (_, index) => new Tab(`tab-${index}`));
  for (const tab of tabs) tab.showFleet();
  await openStream();
  await soon(() => expect(hub.subscribed).toHaveLength(7));
  expect(hub.streams).toHaveLength(1);
  for (let id = 1; id <= 8; id += 1) sendFleet(id, "run.1");
  await soon(() => expect(tabs.map(({ updates }) => updates.length)).toEqual(tabs.map(() => 1)));
  expect(tabs[3]?.link.clock.ageMs(400)).toBe(600);
});

test("the last tab that goes takes the stream with it, and the next one opens another", async () => {
  const [first, second] = [new Tab("first"), new Tab("second")];
  first.showFleet();
  second.showFleet();
  await openStream();
  await soon(() => expect(hub.subscribed).toHaveLength(1));
  endTab.get("first")?.();
  await soon(() => expect(hub.unsubscribed).toEqual([1]));
  expect(hub.stream.isLeft).toBe(false);
  endTab.get("second")?.();
  await soon(() => expect(hub.stream.isLeft).toBe(true));
  new Tab("third").showFleet();
  await openStream(2);
});

test("[PG10] a tab that takes nothing rests after a few updates, and goes on from its position when it does", async () => {
  const tab = new Tab("frozen");
  tab.showFleet();
  await openStream();
  sendFleet(1, "run.1");
  await soon(() => expect(tab.updates).toHaveLength(1));
  tab.isFrozen = true;
  for (let number = 2; number < 40; number += 1) sendFleet(1, `run.${number}`);
  await soon(() => expect(hub.unsubscribed).toEqual([1]));
  expect(tab.heldCount).toBe(4);
  tab.thaw();
  await soon(() => expect(hub.subscribed).toHaveLength(1));
  expect(hub.subscribed[0]?.subscription).toMatchObject({ id: 2, position: "run.5" });
  sendFleet(2, "run.40");
  await soon(() => expect(tab.updates).toHaveLength(6));
});

test("[PG26] every tab learns which page the hub serves, also one that comes later", async () => {
  const first = new Tab("first");
  first.showFleet();
  await soon(() => expect(hub.streams).toHaveLength(1));
  hub.stream.send({ streamId: "stream-1", pageVersion: "assets/index-12345678.js" });
  const open = { kind: "open", pageVersion: "assets/index-12345678.js" };
  await soon(() => expect(first.link.getHop()).toMatchObject(open));
  expect(new Tab("later").link.getHop()).toMatchObject(open);
});

test("a tab learns of a loss in its own time", async () => {
  const tab = new Tab("tab");
  const hops: HubHop[] = [];
  tab.link.listenHop(() => void hops.push(tab.link.getHop()));
  tab.showFleet();
  await openStream();
  await soon(() => expect(tab.link.getHop()).toMatchObject({ kind: "open", sinceMs: 1_000_000 }));
  hub.nowMs = 3_000;
  hub.stream.end();
  await soon(() =>
    expect(tab.link.getHop()).toMatchObject({ kind: "lost", sinceMs: 1_003_000, nextAttemptMs: 1_003_500 }),
  );
  expect(hops.map(({ kind }) => kind)).toEqual(["open", "lost"]);
});
