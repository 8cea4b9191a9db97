// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { FleetClusterSchema, type Incident, IncidentSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { reasonClasses } from "../../../src/health/reason.ts";
import {
  caughtUpWords,
  incidentReasons,
  incidentTitle,
  nextAttemptOf,
  oldestDataOf,
  reasonWords,
} from "./incident-words.ts";

function incident(start: MessageInitShape<typeof IncidentSchema>): Incident {
  return create(IncidentSchema, start);
}

test("[PG19][R-21] sixty clusters of a region are one sentence, one cluster is its name", () => {
  const outIds = Array.from({ length: 60 }, (_, index) => `c-${index}`);
  expect(incidentTitle(incident({ outIds, regions: ["eu-2"] }))).toBe("Lost 60 clusters in eu-2");
  expect(incidentTitle(incident({ outIds, regions: ["eu-2", "us"] }))).toBe("Lost 60 clusters in 2 regions");
  expect(incidentTitle(incident({ outIds: ["prod"], regions: ["eu-2"] }))).toBe("Lost prod");
  expect(incidentTitle(incident({ returnedIds: ["prod"], endedMs: 5n }))).toBe("Reconnected prod");
});

test("[R-16] every reason class of the hub has words", () => {
  const plain = reasonClasses.filter((reason) => reasonWords(reason) === reason);
  expect(plain).toEqual(["none"]);
  expect(incidentReasons(incident({ reasons: ["tcp", "brandNew"] }))).toBe("connection refused, brandNew");
});

test("[R-22] how the clusters caught up is said, once for all where it was the same", () => {
  expect(caughtUpWords(incident({ caughtUpBy: ["resumed"] }))).toBe("resumed");
  expect(caughtUpWords(incident({ caughtUpBy: ["resumed", "resumed"] }))).toBe("all resumed");
  expect(caughtUpWords(incident({ caughtUpBy: ["resumed", "relisted", "resumed"] }))).toBe("2 resumed, 1 relisted");
  expect(caughtUpWords(incident({ caughtUpBy: ["", ""] }))).toBe("");
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
