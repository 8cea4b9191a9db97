// SPDX-License-Identifier: Apache-2.0
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type FleetCluster, FleetClusterSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { type MemoizedEncoding, memoizeEncoding } from "../memoized-encoding.ts";
import { mergeCluster } from "../testing/merge-cluster.ts";
import { encodeEntry, type FleetEntry, newestStep } from "./fleet-entry.ts";

const part = fc.constantFrom("facts", "connection", "strip", "objects");
/** A step: what becomes which value, and whether the viewer looks at its end. */
const step = fc.record({ part, value: fc.nat({ max: 2 }), looks: fc.boolean() });

const key = "g1";

function messageOf(name: string, value: number): MessageInitShape<typeof FleetClusterSchema> {
  if (name === "facts") return { id: "a", region: value === 0 ? "" : `r${value}` };
  if (name === "connection") return { connection: { state: `s${value}` }, followedKindCount: value };
  if (name === "strip") return { strip: new Uint8Array(value).fill(5) };
  return value === 0 ? {} : { objects: { rowCount: BigInt(value) } };
}

test("[PG11] whoever takes in the parts from step to step, and leaves out steps, has what one has who gets the whole", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, seesObjects) => {
      const accessKey = seesObjects ? key : undefined;
      let entry: FleetEntry | undefined;
      const put = (name: string, value: number, at: number): void => {
        const bytes = (): Uint8Array =>
          toBinary(FleetClusterSchema, create(FleetClusterSchema, messageOf(name, value)));
        const before: FleetEntry | undefined = entry;
        const partOf = (each: string): MemoizedEncoding | undefined =>
          each === "objects" ? before?.objects.get(key) : before?.[each as "facts" | "connection" | "strip"];
        const made = (each: string): MemoizedEncoding => {
          const known = partOf(each);
          return known !== undefined && each !== name ? known : memoizeEncoding(known, [value], at, bytes);
        };
        const objects = new Map([[key, made("objects")]]);
        entry = { id: "a", facts: made("facts"), connection: made("connection"), strip: made("strip"), objects };
      };
      const initial = (name: string): Uint8Array =>
        toBinary(FleetClusterSchema, create(FleetClusterSchema, messageOf(name, 0)));
      entry = {
        id: "a",
        facts: memoizeEncoding(undefined, [0], 1, () => initial("facts")),
        connection: memoizeEncoding(undefined, [0], 1, () => initial("connection")),
        strip: memoizeEncoding(undefined, [0], 1, () => initial("strip")),
        objects: new Map([[key, memoizeEncoding(undefined, [0], 1, () => initial("objects"))]]),
      };
      let shown: FleetCluster | undefined;
      let seenStep: number | undefined;
      for (const [at, { part: name, value, looks }] of steps.entries()) {
        put(name, value, at + 2);
        if (!looks) continue;
        if (seenStep === undefined || newestStep(entry, accessKey) > seenStep)
          shown = mergeCluster(shown, fromBinary(FleetClusterSchema, encodeEntry(entry, seenStep, accessKey)));
        seenStep = at + 2;
        const whole = fromBinary(FleetClusterSchema, encodeEntry(entry, undefined, accessKey));
        expect({ ...shown, parts: [] }).toEqual(whole);
      }
    }),
  );
});
