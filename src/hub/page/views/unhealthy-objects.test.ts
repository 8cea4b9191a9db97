// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Row } from "../../../model/row.ts";
import { hasher } from "../../fleet/testing/test-fleet.ts";
import { makeBatch, makeRow } from "../../fleet/testing/test-rows.ts";
import { PlainPicture } from "../../rows/plain-picture.ts";
import { countTrouble, listTrouble } from "./unhealthy-objects.ts";

type Statuses = Readonly<Record<string, Row["status"]>>;

/** A picture of the cluster `a` with these rows of each kind. */
function pictureOf(kinds: Readonly<Record<string, Statuses>>): PlainPicture {
  const picture = new PlainPicture(hasher);
  for (const [at, [resource, statuses]] of Object.entries(kinds).entries()) {
    const rows = Object.entries(statuses).map(([name, status]) => ({ ...makeRow("a", resource, { name }), status }));
    const part = { resource, form: { kind: "delta" }, batch: makeBatch(resource, rows) } as const;
    picture.load("a", part, { position: at + 1, receivedAtMs: 0 });
  }
  return picture;
}

function namesOf(picture: PlainPicture): readonly string[] {
  return listTrouble(picture, "a", countTrouble(picture, "a")).map(({ resource, row }) => `${resource} ${row.name}`);
}

test("[PG24] what is unhealthy or degraded is counted, by kind and in order of the kinds; nothing else is trouble", () => {
  const picture = pictureOf({
    pods: { p1: "unhealthy", p2: "degraded", p3: "progressing", p4: "healthy" },
    nodes: { n1: "degraded" },
    jobs: { j1: "completed", j2: "terminating", j3: "suspended", j4: "unknown" },
  });
  expect(countTrouble(picture, "a")).toEqual([
    { resource: "nodes", kind: "Thing", count: 1 },
    { resource: "pods", kind: "Thing", count: 2 },
  ]);
  expect(countTrouble(picture, "b")).toEqual([]);
});

test("the worst rows of all kinds come first, those of one status by kind and key", () => {
  const picture = pictureOf({
    pods: { z: "unhealthy", b: "degraded", a: "degraded" },
    nodes: { n2: "degraded", n1: "unhealthy", n3: "healthy" },
  });
  expect(namesOf(picture)).toEqual(["nodes n1", "pods z", "nodes n2", "pods a", "pods b"]);
});

test("of very many rows the worst 500 are listed, and all are counted", () => {
  const many = (prefix: string): Statuses =>
    Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`${prefix}${at}`, "degraded"]));
  const picture = pictureOf({ nodes: many("n"), pods: { ...many("p"), worst: "unhealthy" } });
  expect(countTrouble(picture, "a").map(({ count }) => count)).toEqual([400, 401]);
  expect(namesOf(picture)).toHaveLength(500);
  expect(namesOf(picture)[0]).toBe("pods worst");
});
