// SPDX-License-Identifier: Apache-2.0
// The feed of changes of a real hub, while the cluster does not stand still.
import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isCancellation } from "../../src/base/abort.ts";
import { ChangesUpdateSchema, PageService, type SubscriptionSchema } from "../../src/gen/flotilla/page/v1/page_pb.ts";
import { eventually } from "./fleet/eventually.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";
import { startLimitMs } from "./page/page-browser.ts";

type ChangesWish = Extract<
  NonNullable<MessageInitShape<typeof SubscriptionSchema>["view"]>,
  { readonly case: "changes" }
>;

const eu = "eu-west-1";
const totalCount = 120;

const fleet = new PlaygroundUp(1);

/** Somebody who looks at the ConfigMaps of one namespace, from a position on. */
class Reader {
  readonly names: string[] = [];
  readonly snapshots: number[] = [];
  position = "";
  readonly #leaving = new AbortController();
  readonly #reading: Promise<void>;

  constructor(position = "") {
    this.#reading = this.#read(position);
  }

  async leave(): Promise<void> {
    this.#leaving.abort(new Error("seen enough"));
    await this.#reading;
  }

  async #read(position: string): Promise<void> {
    const { signal } = this.#leaving;
    const view: ChangesWish = { case: "changes", value: { namespaces: ["shop"], resources: ["configmaps"] } };
    try {
      const client = createClient(PageService, fleet.hub.transport);
      for await (const message of client.open({ subscriptions: [{ id: 1, position, view }] }, { signal })) {
        if (message.subscriptionId !== 1) continue;
        const { changes } = fromBinary(ChangesUpdateSchema, message.update);
        const ours = changes.filter(({ name }) => name.startsWith("feed-")).map(({ name, what }) => `${name} ${what}`);
        if (message.isSnapshot) this.snapshots.push(ours.length);
        this.names.push(...ours);
        this.position = message.position;
      }
    } catch (reason) {
      if (!isCancellation(signal, reason) && !signal.aborted) throw reason;
    }
  }
}

describe("the feed of changes of a real hub", () => {
  beforeAll(async () => {
    await fleet.start();
    await eventually(async () => expect(await fleet.hub.state(eu)).toBe("live"));
  }, startLimitMs);

  afterAll(async () => {
    expect(await fleet.close()).toBe(0);
  });

  test("[PG25][PG9] whoever comes while objects are made sees each of them once: those from before, then those that come", async () => {
    const client = fleet.connect(eu);
    const readers = [new Reader()];
    for (let count = 0; count < totalCount; count += 1) {
      const name = `feed-${String(count).padStart(3, "0")}`;
      await client.ask("POST", "/api/v1/namespaces/shop/configmaps", { body: { metadata: { name } } });
      if (count % 30 === 29) readers.push(new Reader());
    }
    const expected = Array.from({ length: totalCount }, (_, at) => `feed-${String(at).padStart(3, "0")} added`);
    for (const reader of readers) {
      await eventually(() => expect(reader.names.toSorted()).toEqual(expected));
      expect(reader.snapshots).toHaveLength(1);
      expect(reader.names).toEqual(readers[0]?.names);
    }
    const late = new Reader();
    await eventually(() => expect(late.names).toEqual(readers[0]?.names));
    const again = new Reader(readers[1]?.position);
    await client.ask("DELETE", "/api/v1/namespaces/shop/configmaps/feed-007");
    await eventually(() => expect(again.names).toEqual(["feed-007 removed"]));
    expect(again.snapshots).toEqual([]);
    for (const reader of [...readers, late, again]) await reader.leave();
  });
});
