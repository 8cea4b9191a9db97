// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { AccessReportFacts, ReviewAnswer, ReviewOrder } from "../../session/access-samples/access-sample.ts";
import type { UplinkRig } from "./testing/uplink-rig.ts";
import { isEqualIn, withRig } from "./testing/with-rig.ts";
import type { AccessPort } from "./uplink-options.ts";

/** A reviewer that reports and answers what the test sets. */
class TestReviewer implements AccessPort {
  current: AccessReportFacts | undefined = { authorizers: "rbac", detail: "", reviews: "allowed" };
  readonly orders: ReviewOrder[] = [];
  readonly replies: ((answer: ReviewAnswer) => void)[] = [];
  readonly #listeners = new Set<() => void>();

  report(): AccessReportFacts | undefined {
    return this.current;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  answer(order: ReviewOrder, reply: (answer: ReviewAnswer) => void): void {
    this.orders.push(order);
    this.replies.push(reply);
  }

  announce(report: AccessReportFacts): void {
    this.current = report;
    for (const listener of this.#listeners) listener();
  }
}

/** The messages of a kind that the hub received. */
function received(rig: UplinkRig, wanted: "accessReport" | "accessVerdicts"): object[] {
  return rig.hub.received.flatMap(({ request: { message } }) => (message.case === wanted ? [message.value] : []));
}

const question = {
  user: "alice",
  groups: ["team"],
  verb: "get",
  apiGroup: "",
  resource: "pods",
  namespace: "a",
  name: "b",
};

test(
  "[SE62] the report follows each Welcome and each check",
  withRig(async (rig) => {
    const access = new TestReviewer();
    rig.start({ access });
    await rig.world.runUntil("a report", () => received(rig, "accessReport").length === 1, 5_000);
    access.announce({ authorizers: "other", detail: "webhook", reviews: "forbidden" });
    await rig.world.runUntil("a second report", () => received(rig, "accessReport").length === 2, 5_000);
    for (const stream of rig.network.streams) stream.cut();
    await rig.world.runUntil("one in a new session", () => received(rig, "accessReport").length === 3, 20_000);
    expect(received(rig, "accessReport")).toMatchObject([
      { authorizers: 1, detail: "", reviews: 1 },
      { authorizers: 2, detail: "webhook", reviews: 2 },
      { authorizers: 2, detail: "webhook", reviews: 2 },
    ]);
  }),
);

test(
  "[SE63] questions of the hub are passed on, and the answer repeats their number; one after the session is dropped",
  withRig(async (rig) => {
    const access = new TestReviewer();
    rig.start({ access });
    await isEqualIn(rig, 5_000);
    await rig.hub.say({ case: "reviewAccess", value: { number: 4, questions: [question] } });
    await rig.world.runUntil("an order", () => access.orders.length === 1, 5_000);
    expect(access.orders).toEqual([
      {
        number: 4,
        requests: [
          { user: "alice", groups: ["team"], verb: "get", group: "", resource: "pods", namespace: "a", name: "b" },
        ],
      },
    ]);
    access.replies[0]?.({ number: 4, verdicts: ["denied"] });
    await rig.world.runUntil("verdicts", () => received(rig, "accessVerdicts").length === 1, 5_000);
    expect(received(rig, "accessVerdicts")).toMatchObject([{ number: 4, verdicts: [2] }]);
    for (const stream of rig.network.streams) stream.cut();
    await rig.world.runUntil("live again", () => rig.hub.sessionCount === 2 && rig.status === "live", 20_000);
    access.replies[0]?.({ number: 4, verdicts: ["allowed"] });
    await rig.world.run(10_000);
    expect(received(rig, "accessVerdicts")).toHaveLength(1);
  }),
);

test(
  "[SE62] [SE63] an agent without reviews sends no report, and a question does its session no harm",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    await rig.hub.say({ case: "reviewAccess", value: { number: 1, questions: [question] } });
    await rig.world.run(20_000);
    expect([rig.hub.sessionCount, received(rig, "accessReport"), received(rig, "accessVerdicts")]).toEqual([1, [], []]);
  }),
);
