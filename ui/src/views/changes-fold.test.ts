// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ChangesUpdateSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { type ChangesPicture, changesFold } from "./changes-fold.ts";

function fold(before: ChangesPicture, update: MessageInitShape<typeof ChangesUpdateSchema>): ChangesPicture {
  return changesFold.fold(before, toBinary(ChangesUpdateSchema, create(ChangesUpdateSchema, update)));
}

const { empty } = changesFold;

test("the feed numbers its lines, marks gaps, and keeps a bounded number", () => {
  const changes = Array.from({ length: 1_500 }, (_, index) => ({ name: `pod-${index}` }));
  const first = fold(fold(empty, {}), { changes });
  const second = fold(first, { changes, leftOutCount: 70 });
  expect(second.lines).toHaveLength(2_000);
  expect(second.lines[498]).toMatchObject({ kind: "change", number: 1_500 });
  expect(second.lines[499]).toEqual({ kind: "leftOut", number: 1_501, count: 70 });
  expect(second.lines.at(-1)).toMatchObject({ number: 3_001, change: { name: "pod-1499" } });
  expect(second.lastNumber).toBe(3_001);
});

test("[PG25] changes from before the page was opened are below a mark, new ones above it", () => {
  const start = fold(empty, { changes: [{ name: "old" }, { name: "older-by-none" }] });
  expect(start.lines.map(({ kind }) => kind)).toEqual(["change", "change", "came"]);
  const next = fold(start, { changes: [{ name: "new" }] });
  expect(next.lines.map(({ kind, number }) => `${kind} ${number}`)).toEqual([
    "change 1",
    "change 2",
    "came 3",
    "change 4",
  ]);
  expect(next.beginning).toBe(start.beginning);
  expect(fold(empty, {}).beginning).not.toBe(start.beginning);
});

test("[PG25] a feed that begins with nothing has no such line, then or later", () => {
  const start = fold(empty, {});
  expect(start.lines).toEqual([]);
  expect(fold(start, { changes: [{ name: "new" }] }).lines.map(({ kind }) => kind)).toEqual(["change"]);
});
