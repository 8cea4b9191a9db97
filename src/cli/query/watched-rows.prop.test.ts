// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type FoundObject, WatchObjectsResponseSchema } from "../../gen/flotilla/query/v1/query_pb.ts";
import { rowOf } from "./found-object-json.ts";
import { fakeObject } from "./testing/fake-query.ts";
import { WatchedRows } from "./watched-rows.ts";

/** Names to versions: the rows of a view at one moment. */
type World = Readonly<Record<string, number>>;

const world: fc.Arbitrary<World> = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.nat({ max: 2 }));

function objectsOf(rows: World): FoundObject[] {
  return Object.entries(rows).map(([name, version]) => fakeObject({ name, resourceVersion: String(version) }));
}

test("[CL35] the events of any messages give the rows of the hub's view, and none is repeated", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(world, fc.boolean()), { minLength: 1, maxLength: 8 }), (steps) => {
      const view = new WatchedRows();
      const seen = new Map<string, string>();
      let before: World = {};
      for (const [present, isSnapshot] of steps) {
        const changed = Object.fromEntries(
          Object.entries(present).filter(([name, version]) => before[name] !== version),
        );
        const left = Object.keys(before)
          .filter((name) => present[name] === undefined)
          .map((name) => ({ cluster: "east", resource: "pods", namespace: "shop", name }));
        const message = isSnapshot
          ? { isSnapshot, objects: objectsOf(present) }
          : { objects: objectsOf(changed), left };
        for (const { type, object } of view.apply(create(WatchObjectsResponseSchema, message))) {
          const { name, resourceVersion } = rowOf(object);
          if (type === "DELETED") expect(seen.get(name)).toBe(resourceVersion);
          else expect(seen.has(name)).toBe(type === "MODIFIED");
          expect(type !== "DELETED" && seen.get(name) === resourceVersion).toBe(false);
          if (type === "DELETED") seen.delete(name);
          else seen.set(name, resourceVersion);
        }
        expect(Object.fromEntries(seen)).toEqual(
          Object.fromEntries(Object.entries(present).map(([name, version]) => [name, String(version)])),
        );
        before = present;
      }
    }),
    { numRuns: 100 },
  );
});
