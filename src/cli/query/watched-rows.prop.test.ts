// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type FoundObject, WatchObjectsResponseSchema } from "../../gen/flotilla/query/v1/query_pb.ts";
import { rowOf } from "./found-object-json.ts";
import { fakeObject } from "./testing/fake-query.ts";
import { WatchedRows } from "./watched-rows.ts";

/** The rows of a view at one moment, in order: name and version. */
type World = readonly (readonly [name: string, version: number])[];

const world: fc.Arbitrary<World> = fc.uniqueArray(
  fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.nat({ max: 2 })),
  { selector: ([name]) => name },
);

const objectOf = ([name, version]: World[number]): FoundObject =>
  fakeObject({ name, resourceVersion: String(version) });

/** A message from one moment to another: what changed, and the rows of `moved`, which the hub may send too. */
function messageOf(before: World, present: World, moved: ReadonlySet<string>, hasPlaces: boolean) {
  const known = new Map(before);
  const kept = present.filter(([name, version]) => known.get(name) === version && !moved.has(name));
  const isInOrder = before.filter(([name]) => kept.some(([each]) => each === name)).join() === kept.join();
  const isSent = ([name]: World[number]): boolean => !isInOrder || !kept.some(([each]) => each === name);
  const sent = [...present.entries()].filter(([, row]) => isSent(row));
  const names = new Set(present.map(([name]) => name));
  return {
    objects: sent.map(([, row]) => objectOf(row)),
    places: hasPlaces ? sent.map(([place]) => place) : [],
    left: before
      .filter(([name]) => !names.has(name))
      .map(([name]) => ({ cluster: "east", resource: "pods", namespace: "shop", name })),
  };
}

const anyStep = fc.record({
  present: world,
  isSnapshot: fc.boolean(),
  moved: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e")).map((names) => new Set(names)),
});

test.each([true, false])(
  "[CL35] the events of any messages give the rows of the hub's view, and none is repeated (with places: %s)",
  (hasPlaces) => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 8 }), (steps) => {
        const view = new WatchedRows();
        let shown: World = [];
        let before: World = [];
        for (const { present, isSnapshot, moved } of steps) {
          const places = hasPlaces ? [...present.keys()] : [];
          const message = isSnapshot
            ? { isSnapshot, objects: present.map(objectOf), places }
            : messageOf(before, present, moved, hasPlaces);
          const events = view.apply(create(WatchObjectsResponseSchema, message));
          const versions = new Map(shown);
          const rows = events.map(({ type, object, place }) => {
            const { name, resourceVersion } = rowOf(object);
            const version = Number(resourceVersion);
            expect(versions.has(name)).toBe(type !== "ADDED");
            expect(versions.get(name) === version).toBe(type === "MOVED" || type === "DELETED");
            return { type, row: [name, version] as const, place };
          });
          const named = new Set(rows.map(({ row: [name] }) => name));
          const next = shown.filter(([name]) => !named.has(name));
          for (const { type, row, place } of rows) if (type !== "DELETED") next.splice(place ?? next.length, 0, row);
          const inOrder = (all: World): World => (hasPlaces ? all : all.toSorted(([a], [b]) => a.localeCompare(b)));
          expect(inOrder(next)).toEqual(inOrder(present));
          [shown, before] = [next, present];
        }
      }),
      { numRuns: 200 },
    );
  },
);
