// SPDX-License-Identifier: Apache-2.0
// Standing queries whose definition changes, and their metrics.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { testActor } from "./testing/query-store.ts";
import { StandingRig } from "./testing/standing-rig.ts";

const hourMs = 3_600_000;

let rig: StandingRig;

beforeEach(async () => {
  rig = await StandingRig.open();
});

afterEach(() => rig.close());

describe("update", () => {
  test("[SQ16] another text begins anew: nothing of the old answer is reported or sent, and the interval goes on", async () => {
    rig.fleet.set("east/a");
    const record = await rig.create();
    await rig.change("east/a", "east/b");
    rig.answer = async () => 503;
    await rig.change("east/c");
    expect((await rig.state(record)).pending).toBeDefined();
    const update = { ...record, query: "status=degraded", secret: undefined };
    await rig.definitions.update("broken", "ann", { update, revision: record.revision }, testActor);
    rig.answer = async () => 204;
    await rig.clock.advance(hourMs);
    expect(await rig.state(record)).toMatchObject({ known: { total: 1 }, pending: undefined, deliveredCount: 1 });
    await rig.change("east/c", "east/d");
    expect(rig.summary).toEqual(["+b", "+d"]);
  });

  test("[SQ16] with another webhook the waiting delivery goes there with its id, and members are kept", async () => {
    const record = await rig.create();
    rig.answer = async () => 503;
    await rig.change("east/a");
    const { pending } = await rig.state(record);
    const update = { ...record, webhookUrl: "https://hooks.example.com/new", secret: "fedcba9876543210" };
    await rig.definitions.update("broken", "ann", { update, revision: record.revision }, testActor);
    rig.answer = async () => 204;
    await rig.clock.advance(600_000);
    expect(rig.summary).toEqual(["+a"]);
    expect(rig.attempts.at(-1)).toMatchObject({
      url: "https://hooks.example.com/new",
      headers: { "Flotilla-Delivery": pending?.id },
    });
  });
});

test("[SQ17] evaluations and attempts of deliveries are counted by their outcome", async () => {
  await rig.create();
  rig.answer = async () => 503;
  await rig.change("east/a");
  expect(rig.counts["deliveries failed"]).toBe(rig.attempts.length);
  rig.answer = async () => 204;
  await rig.clock.advance(600_000);
  expect(rig.counts["deliveries accepted"]).toBe(1);
  const { "evaluations ok": before = 0, "evaluations failed": failed = 0 } = rig.counts;
  expect([before > 1, failed]).toEqual([true, 0]);
  rig.fleet.fault = new FlotillaError("TOO_LARGE", "the query reads too many rows");
  await rig.clock.advance(120_000);
  expect(rig.counts["evaluations failed"]).toBeGreaterThan(0);
});
