// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import type { HintAnswer, ObjectHint } from "../../session/hints/hint.ts";
import type { UplinkRig } from "./testing/uplink-rig.ts";
import { isEqualIn, withRig } from "./testing/with-rig.ts";

/** What the hub received of answers to hints. */
function answersOf(rig: UplinkRig): object[] {
  return rig.hub.received.flatMap(({ request: { message } }) =>
    message.case === "hintAnswers" ? message.value.answers : [],
  );
}

function helloTakesHints(rig: UplinkRig): boolean | undefined {
  const message = rig.hub.received[0]?.request.message;
  return message?.case === "hello" ? message.value.takesHints : undefined;
}

const hint: ObjectHint = { number: 4, resource: "pods", namespace: "shop", name: "cart" };

test(
  "[SE65] a hint is passed on, and its answer repeats the number; one after the session is dropped",
  withRig(async (rig) => {
    const taken: { readonly hint: ObjectHint; readonly reply: (answer: HintAnswer) => void }[] = [];
    rig.start({ takeHint: (given, reply) => void taken.push({ hint: given, reply }) });
    await isEqualIn(rig, 5_000);
    expect(helloTakesHints(rig)).toBe(true);
    await rig.hub.say({ case: "objectHint", value: hint });
    await rig.world.runUntil("a hint", () => taken.length === 1, 5_000);
    expect(taken[0]?.hint).toEqual(hint);
    taken[0]?.reply({ number: 4, result: "refreshed" });
    taken[0]?.reply({ number: 5, result: new FlotillaError("NOT_FOUND", "not followed") });
    await rig.world.runUntil("answers", () => answersOf(rig).length === 2, 5_000);
    expect(answersOf(rig)).toMatchObject([
      { number: 4, result: 1 },
      { number: 5, result: 0, refusal: { code: "NOT_FOUND", message: "not followed" } },
    ]);
    for (const stream of rig.network.streams) stream.cut();
    await rig.world.runUntil("live again", () => rig.hub.sessionCount === 2 && rig.status === "live", 20_000);
    taken[0]?.reply({ number: 4, result: "unchanged" });
    await rig.world.run(10_000);
    expect(answersOf(rig)).toHaveLength(2);
  }),
);

test(
  "[SE65] an agent that takes no hints says so, and one does its session no harm",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    expect(helloTakesHints(rig)).toBe(false);
    await rig.hub.say({ case: "objectHint", value: hint });
    await rig.world.run(20_000);
    expect([rig.hub.sessionCount, answersOf(rig)]).toEqual([1, []]);
  }),
);
