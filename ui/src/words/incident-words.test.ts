// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FleetClusterSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { reasonSentences } from "../../../src/health/reason.ts";
import type { FleetIncident } from "../views/fleet-incident.ts";
import {
  caughtUpWords,
  incidentReasons,
  incidentTitle,
  isIncidentFlapping,
  nextAttemptOf,
  noticedIncidents,
  oldestDataOf,
  reasonWords,
} from "./incident-words.ts";

function incident(start: Partial<FleetIncident>): FleetIncident {
  return { number: 0, beganMs: 0n, reasons: [], regions: [], outIds: [], returnedIds: [], caughtUpBy: [], ...start };
}

function clustersIn(state: string, ids: readonly string[]) {
  return new Map(ids.map((id) => [id, create(FleetClusterSchema, { id, connection: { state } })]));
}

test("[PG19][R-21] sixty clusters of a region are one sentence, one cluster is its name, in the words of their state", () => {
  const outIds = Array.from({ length: 60 }, (_, index) => `c-${index}`);
  const out = clustersIn("disconnected", outIds);
  const title = (start: Partial<FleetIncident>, clusters = out): string => incidentTitle(incident(start), clusters);
  expect(title({ outIds, regions: ["eu-2"] })).toBe("Disconnected: 60 clusters in eu-2");
  expect(title({ outIds, regions: ["eu-2", "us"] })).toBe("Disconnected: 60 clusters in 2 regions");
  expect(title({ outIds: ["c-1"], regions: ["eu-2"] })).toBe("Disconnected: c-1");
  expect(title({ outIds: ["prod"] }, clustersIn("stale", ["prod"]))).toBe("Stale: prod");
  expect(title({ outIds: ["prod"] }, clustersIn("catchingUp", ["prod"]))).toBe("Catching up: prod");
  expect(title({ returnedIds: ["prod"], endedMs: 5n }, clustersIn("live", ["prod"]))).toBe("Live again: prod");
});

test("[PG19] an incident with clusters in several states is not titled disconnected", () => {
  const clusters = new Map([...clustersIn("disconnected", ["a"]), ...clustersIn("stale", ["b"])]);
  expect(incidentTitle(incident({ outIds: ["a", "b"], regions: ["eu"] }), clusters)).toBe("Not live: 2 clusters in eu");
});

test("[R-16] every reason class of the hub has words", () => {
  const plain = Object.keys(reasonSentences).filter((reason) => reasonWords(reason) === reason);
  expect(plain).toEqual(["none"]);
  expect(incidentReasons(incident({ reasons: ["tcp", "brandNew"] }))).toBe("connection refused, brandNew");
});

test("[R-22] how the clusters caught up is shown, once if it was the same for all", () => {
  expect(caughtUpWords(incident({ caughtUpBy: ["resumed"] }))).toBe("resumed");
  expect(caughtUpWords(incident({ caughtUpBy: ["resumed", "resumed"] }))).toBe("all resumed");
  expect(caughtUpWords(incident({ caughtUpBy: ["resumed", "relisted", "resumed"] }))).toBe("2 resumed, 1 relisted");
  expect(caughtUpWords(incident({ caughtUpBy: ["", ""] }))).toBe("");
  const relisted = (caughtUpBy: string[], relistedKindCount: number): string =>
    caughtUpWords(incident({ caughtUpBy, relistedKindCount }));
  expect(relisted(["relisted"], 3)).toBe("relisted 3 kinds");
  expect(relisted(["relisted"], 1)).toBe("relisted 1 kind");
  expect(relisted(["relisted"], 0)).toBe("relisted");
  expect(relisted(["resumed", "relisted"], 3)).toBe("1 resumed, 1 relisted");
});

test("the next attempt is the soonest, and the age of the data that of the oldest", () => {
  const clusters = new Map(
    [
      ["a", 50n, 10n],
      ["b", 40n, 20n],
      ["c", undefined, undefined],
    ].map(([id, nextAttemptMs, seenMs]) => [
      String(id),
      create(FleetClusterSchema, {
        connection: {
          ...(typeof nextAttemptMs === "bigint" ? { nextAttemptMs } : {}),
          ...(typeof seenMs === "bigint" ? { seenMs } : {}),
          sinceMs: 30n,
        },
      }),
    ]),
  );
  const open = incident({ outIds: ["a", "b", "c", "gone"] });
  expect([nextAttemptOf(open, clusters), oldestDataOf(open, clusters)]).toEqual([40, 10]);
  expect([nextAttemptOf(incident({ outIds: ["c"] }), clusters), oldestDataOf(incident({}), clusters)]).toEqual([
    undefined,
    undefined,
  ]);
});

test("[PG19] a cluster that is lost again removes the notice of its return; ended incidents of others stay", () => {
  const numbers = (...list: FleetIncident[]): number[] => noticedIncidents(list).map(({ number }) => number);
  const first = incident({ number: 1, returnedIds: ["a"], endedMs: 5n });
  const both = incident({ number: 2, returnedIds: ["a", "b"], endedMs: 6n });
  const open = incident({ number: 4, outIds: ["a"] });
  const other = incident({ number: 5, outIds: ["c"] });
  expect(numbers(first)).toEqual([1]);
  expect(numbers(first, open)).toEqual([4]);
  expect(numbers(first, both, open)).toEqual([2, 4]);
  expect(numbers(first, other)).toEqual([1, 5]);
  expect(numbers(open, other)).toEqual([4, 5]);
});

test("[HE6] a cluster that is out and flaps makes its incident flapping", () => {
  const flapping = create(FleetClusterSchema, { connection: { isFlapping: true } });
  const clusters = new Map([
    ["a", flapping],
    ["b", create(FleetClusterSchema, {})],
  ]);
  expect(isIncidentFlapping(incident({ outIds: ["a", "b"] }), clusters)).toBe(true);
  expect(isIncidentFlapping(incident({ outIds: ["b"], returnedIds: ["a"] }), clusters)).toBe(false);
});
