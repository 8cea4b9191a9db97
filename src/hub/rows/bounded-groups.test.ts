// SPDX-License-Identifier: Apache-2.0
import { create, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ListRowsResponseSchema } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { makeRow } from "../fleet/testing/test-rows.ts";
import { toRowMessage } from "../fleet-services/row-service.ts";
import { inGroups, maxMessageChars, rowChars } from "./bounded-groups.ts";

describe("groups of bounded size", () => {
  test("[CO70] hold every value once, in order, and are within both bounds unless one value is larger alone", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 })), (sizes) => {
        const groups = [...inGroups(sizes, { maxCount: 3, maxSize: 10, sizeOf: (size) => size })];
        expect(groups.flat()).toEqual(sizes);
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(0);
          expect(group.length).toBeLessThanOrEqual(3);
          if (group.length > 1) expect(group.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(10);
        }
      }),
    );
  });

  test("[CO70] rows at the most that a row may have do not make a message that no client takes", () => {
    const row = { ...makeRow("east", "pods", { name: "web" }), message: "é".repeat(30_000) };
    const rows = Array.from({ length: 500 }, () => row);
    const [first = []] = inGroups(rows, { maxCount: 500, maxSize: maxMessageChars, sizeOf: rowChars });
    const message = create(ListRowsResponseSchema, { rows: first.map((each) => toRowMessage("pods", "Pod", each)) });
    expect(toBinary(ListRowsResponseSchema, message).length).toBeLessThan(4 * 1024 * 1024);
    expect(first.length).toBeGreaterThan(10);
  });
});
