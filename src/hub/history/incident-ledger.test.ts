// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import type { ConnectionState } from "../../health/health-state.ts";
import { emptyIncidentBook, stepIncidents } from "../../health/incidents.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { IncidentLedger } from "./incident-ledger.ts";

const caughtUp = { caughtUpBy: "resumed", relistedKindCount: 0 } as const;

let nowMs: number;
let book: typeof emptyIncidentBook;
let shown: { reason: string; region: string; lastSeenMs: number | undefined };
let ledger: IncidentLedger;

beforeEach(() => {
  nowMs = 1_000;
  book = emptyIncidentBook;
  shown = { reason: "none", region: "eu", lastSeenMs: 900 };
  ledger = new IncidentLedger({ nowMs: () => nowMs, outageOf: () => ({ caughtUp }), describe: () => shown });
});

/** The cluster shows another state, as the monitor tells it; without a transition it showed it when it was added. */
function show(name: string, state: ConnectionState, { hasTransition = true } = {}): void {
  const [cluster, reason] = [parseClusterId(name), state === "live" ? "none" : "tcp"] as const;
  const step = stepIncidents(book, { kind: "shown", cluster, state, reason, region: "" }, { nowMs, joinMs: 0 });
  book = step.book;
  if (step.effect !== "none") ledger.incident(step);
  if (hasTransition) ledger.transition({ cluster, from: "live", to: state, reason, sentence: "", atMs: 0 });
}

const list = () => ledger.list(() => true);

test("[PG19] an incident says why its clusters were lost, and not what they show on their way back", () => {
  show("a", "disconnected");
  show("a", "catchingUp");
  expect(list()).toMatchObject([{ number: 1, reasons: ["tcp"], regions: ["eu"] }]);
  shown = { ...shown, reason: "hubRestarted" };
  nowMs += 1;
  show("b", "disconnected", { hasTransition: false });
  show("b", "catchingUp");
  expect(list()[1]?.reasons).toEqual(["hubRestarted"]);
});

test("[PG17] the rows of a cluster that is out are as of when it was last heard before, until it is live", () => {
  const a = parseClusterId("a");
  show("a", "disconnected");
  shown = { ...shown, lastSeenMs: 5_000 };
  nowMs = 5_000;
  show("a", "stale");
  show("a", "catchingUp");
  expect(ledger.dataAtMs(a, 1)).toBe(900);
  expect(ledger.returnsOf(a)).toEqual([]);
  show("a", "live");
  expect([ledger.dataAtMs(a, 1), ledger.dataAtMs(a, 7)]).toEqual([undefined, undefined]);
  expect(ledger.returnsOf(a)).toEqual([{ incident: 1, ...caughtUp }]);
});

test("the version is another when an incident is, and only then", () => {
  const versions: number[] = [];
  for (const state of ["disconnected", "stale", "catchingUp", "live", "live"] as const) {
    show("a", state);
    versions.push(ledger.version);
  }
  expect(versions[1]).toBe(versions[0]);
  expect(versions[2]).toBe(versions[0]);
  expect(versions[3]).toBeGreaterThan(versions[2] ?? 0);
  expect(versions[4]).toBe(versions[3]);
});

test("incidents that nobody looks at are forgotten beyond a bound", () => {
  for (let round = 0; round < 2_000; round += 1) {
    nowMs += 1;
    show("a", "disconnected");
    show("a", "live");
  }
  expect(ledger.returnsOf(parseClusterId("a")).length).toBeLessThanOrEqual(512);
  expect(list()).toHaveLength(256);
  nowMs += 60_000;
  expect(list()).toEqual([]);
});
