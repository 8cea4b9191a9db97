// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Row, toResourceVersion, toRowHash } from "../../model/rows/row.ts";
import { type Status, statuses } from "../../model/status.ts";
import type { TextTest } from "../language/query-predicate.ts";
import { cellPredicate } from "../query/testing/any-request.ts";
import { twoClusters } from "../query/testing/plain-fleet.ts";
import { createTextTest } from "../scan/match-texts.ts";
import { holdsFor } from "../scan/testing/holds-for.ts";
import { anyPredicate } from "../scan/testing/small-rows.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import { TextDictionary } from "../table/text-dictionary.ts";
import { CellFilter } from "./cell-filter.ts";

const names = ["", "a", "b", "web", "elsewhere"];

const labelSets: readonly ReadonlyMap<string, string>[] = [
  new Map(),
  new Map([["app", "web"]]),
  new Map([
    ["app", "db"],
    ["tier", "gold"],
  ]),
];

function passesLabel(labels: ReadonlyMap<string, string>, key: string, test: TextTest): boolean {
  const value = labels.get(key);
  return value !== undefined && createTextTest(test)(value);
}

function rowOf(namespace: string, status: Status, labels: ReadonlyMap<string, string>): Row {
  return {
    namespace,
    name: "any",
    uid: "",
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 0,
    status,
    reason: "",
    message: "",
    labels,
    annotations: new Map(),
    columns: new Map(),
    rowHash: toRowHash(0n),
  };
}

/** A cluster with some of the namespaces, in its own order. */
function clusterOf(fleetNames: TextDictionary, own: readonly string[]): ClusterTexts {
  const cluster = new ClusterTexts(fleetNames);
  for (const name of own) cluster.namespaceNumber(cluster.texts.intern(new TextEncoder().encode(name)));
  cluster.commit();
  return cluster;
}

test("[QL11] [QL13] masks by namespace, status and labels hold for exactly the rows for which the predicate holds", () => {
  fc.assert(
    fc.property(cellPredicate, fc.shuffledSubarray(names), fc.shuffledSubarray(names), (predicate, east, west) => {
      const fleetNames = new TextDictionary();
      const filter = CellFilter.create(predicate, fleetNames);
      const clusters = new Map([
        ["east", clusterOf(fleetNames, east)],
        ["west", clusterOf(fleetNames, west)],
      ]);
      for (const place of twoClusters) {
        const cluster = clusters.get(place.fields.cluster) ?? clusterOf(fleetNames, []);
        const ids = cluster.fleetNamespaces;
        filter?.open();
        for (const labels of labelSets) {
          const bits = filter?.labelTests.reduce(
            (sum, { key, test }, at) => sum | (+passesLabel(labels, key, test) << at),
            0,
          );
          const mask =
            filter?.maskOf(filter.answersOf(place.resource, filter.answersOfCluster(place.fields)), bits) ?? 0;
          for (let number = 0; number < cluster.namespaceCount; number += 1) {
            const namespace = cluster.texts.get(cluster.namespaceText(number));
            for (const [rank, status] of statuses.entries()) {
              const ranks = typeof mask === "number" ? mask : (mask[ids[number] ?? 0] ?? 0);
              const holds = holdsFor(predicate, { row: rowOf(namespace, status, labels), ...place, nowMs: 0 });
              expect(((ranks >> rank) & 1) === 1, `${namespace} ${status}`).toBe(holds);
            }
          }
        }
      }
    }),
    { numRuns: 200 },
  );
});

test("[QL11] a predicate over any other field has no masks", () => {
  fc.assert(
    fc.property(anyPredicate, (predicate) => {
      const others = JSON.stringify(predicate).match(
        /"kind":"(annotation|age|created|owner|image|column|text)"|"field":"(name|uid|reason|message)"/,
      );
      expect(CellFilter.create(predicate, new TextDictionary()) === undefined).toBe(others !== null);
    }),
  );
});
