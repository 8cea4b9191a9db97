// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseClusterId } from "../model/cluster-id.ts";
import { stepHealth } from "./connection-state.ts";
import type { HealthInput } from "./health-input.ts";
import { emptyIncidentBook, type OpenIncidents, stepIncidents } from "./incidents.ts";
import { arrival, beat, ended, live, lostBy, rejected, timePassed } from "./testing/health-kit.ts";
import { transitionBetween } from "./transition.ts";

const cluster = parseClusterId("a");

/** The signals that one outage gives, by whatever way each is noticed. */
const signals: readonly HealthInput[] = [
  timePassed,
  ended("lost"),
  ended("left"),
  beat(1, { apiServer: lostBy("tcp") }),
  beat(1, { apiServer: lostBy("timeout") }),
  rejected("UNAUTHORIZED"),
  rejected("OVERLOADED"),
  rejected("GRACE_PERIOD"),
];

describe("incidents, whatever comes", () => {
  test("[HE11, R-26] every order of the signals of one outage gives one incident that ends with the return", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...signals], { minLength: 1 }),
        fc.array(fc.nat({ max: 30_000 }), { minLength: 8, maxLength: 8 }),
        (order, gapsMs) => {
          let [state, nowMs] = [live(), 7_500];
          let book: OpenIncidents = emptyIncidentBook;
          const effects: string[] = [];
          const feed = (input: HealthInput): void => {
            const after = stepHealth(state, input, nowMs).state;
            const moved = transitionBetween(cluster, { before: state, after, atMs: nowMs });
            state = after;
            if (moved === undefined) return;
            const shown = { kind: "shown", cluster, state: moved.to, reason: moved.reason, region: "" } as const;
            const step = stepIncidents(book, shown, { nowMs, joinMs: 10_000 });
            book = step.book;
            if (step.effect !== "none") effects.push(step.effect);
          };
          for (const [index, input] of order.entries()) {
            feed(timePassed);
            feed(input);
            nowMs += gapsMs[index] ?? 0;
          }
          expect(effects).toEqual(["began"]);
          for (const input of arrival(2)) feed(input);
          expect(state.shown.state).toBe("live");
          expect(effects).toEqual(["began", "ended"]);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("[HE11] a cluster is out in at most one incident, and none stays open without a cluster that is out", () => {
    const anyStep = fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      state: fc.constantFrom("live", "catchingUp", "stale", "disconnected", "rejected", "removed"),
      reason: fc.constantFrom("agentLost", "tls", "dns"),
      region: fc.constantFrom("", "eu", "us"),
      afterMs: fc.nat({ max: 15_000 }),
    });
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        let [book, nowMs] = [emptyIncidentBook, 0];
        const out = new Set<string>();
        for (const { name, state, reason, region, afterMs } of steps) {
          nowMs += afterMs;
          const id = parseClusterId(name);
          const input =
            state === "removed"
              ? ({ kind: "removed", cluster: id } as const)
              : ({ kind: "shown", cluster: id, state, reason, region } as const);
          book = stepIncidents(book, input, { nowMs, joinMs: 10_000 }).book;
          if (state === "live" || state === "removed") out.delete(name);
          else if (state !== "catchingUp") out.add(name);
          const members = book.open.flatMap((incident) => [...incident.out]);
          expect(members.toSorted()).toEqual([...out].toSorted());
          expect(book.open.every((incident) => incident.out.size > 0)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
