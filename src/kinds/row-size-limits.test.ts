// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { ColumnValue } from "../model/rows/row.ts";
import { utf8ByteCount } from "../model/text.ts";
import type { Kind, KindColumn } from "./kind.ts";
import { boundColumns, boundMaps } from "./row-size-limits.ts";
import { sealedRowOf } from "./testing/sample-rows.ts";

function bound(columns: Readonly<Record<string, ColumnValue>>, specs: readonly KindColumn[] = []): object {
  return Object.fromEntries(boundColumns(new Map(Object.entries(columns)), specs, []));
}

const long = "x".repeat(2_000);

describe("bounds of columns", () => {
  test("[KI6] what fits stays as it is, and nothing is called cut", () => {
    const columns = { text: "x".repeat(1_024), list: ["a", "b"], count: 7, flag: true };
    expect(bound(columns)).toEqual(columns);
  });

  test("[KI6] a long text keeps its beginning in 1,024 bytes", () => {
    const { text, cut } = bound({ text: long, other: "short" }) as { text: string; cut: unknown };
    expect([utf8ByteCount(text), text.slice(0, 9), cut]).toEqual([1_024, "xxxxxxxxx", ["text"]]);
  });

  test("[KI6] a long list keeps whole elements in 16 KiB, their lengths counted", () => {
    const list = Array.from({ length: 100 }, () => "x".repeat(1_021));
    expect(bound({ list, next: ["a"] })).toEqual({ list: list.slice(0, 16), next: ["a"], cut: ["list"] });
  });

  test("[KI6] a list of nothing but empty texts is no way around the bound", () => {
    const { list } = bound({ list: Array.from({ length: 100_000 }, () => "") }) as { list: readonly string[] };
    expect(list.length).toBe(5_461);
  });

  test("[KI6] a column that says so may be longer, within the room of all columns", () => {
    const list = Array.from({ length: 40 }, () => "x".repeat(1_021));
    const specs: KindColumn[] = [{ name: "list", type: "stringList", maxBytes: 32_768 }];
    expect(bound({ list }, specs)).toEqual({ list: list.slice(0, 32), cut: ["list"] });
  });

  test("[KI18] a column that is whole is never cut", () => {
    const list = Array.from({ length: 100 }, () => long);
    const specs: KindColumn[] = [
      { name: "list", type: "stringList", isWhole: true },
      { name: "text", type: "string", isWhole: true },
    ];
    expect(bound({ list, text: long }, specs)).toEqual({ list, text: long });
  });
});

describe("bounds of labels and annotations", () => {
  const pairs = (count: number): ReadonlyMap<string, string> =>
    new Map(Array.from({ length: count }, (_, at) => [`key-${String(at).padStart(4, "0")}`, "v".repeat(86)]));

  test("[KI6] share 16 KiB, labels first, and both are named where both lost pairs", () => {
    const fits = boundMaps(pairs(100), pairs(63));
    expect([fits.labels.size, fits.annotations.size, fits.cut]).toEqual([100, 63, []]);
    const annotationsCut = boundMaps(pairs(100), pairs(70));
    expect([annotationsCut.labels.size, annotationsCut.annotations.size]).toEqual([100, 63]);
    expect(annotationsCut.cut).toEqual(["annotations"]);
    expect(boundMaps(pairs(200), pairs(1)).cut).toEqual(["labels", "annotations"]);
  });

  test("[KI6] [KI7] what stays of them does not depend on the order they came in", () => {
    const reversed = new Map([...pairs(200)].reverse());
    expect([...boundMaps(reversed, new Map()).labels]).toEqual([...boundMaps(pairs(200), new Map()).labels]);
  });
});

describe("a row with everything at its longest", () => {
  const names = (prefix: string): string[] => Array.from({ length: 16 }, (_, at) => `${prefix}${at}`);
  const kind: Kind = {
    resource: { group: `${"g".repeat(60)}.example`, resource: "r".repeat(63) },
    kind: "Long",
    versions: ["v1"],
    isNamespaced: true,
    columns: [],
    project: () => ({
      columns: new Map<string, ColumnValue>([
        ...names("text").map((name): [string, ColumnValue] => [name, long]),
        ...names("list").map((name): [string, ColumnValue] => [name, Array.from({ length: 100 }, () => long)]),
      ]),
    }),
  };

  test("[KI6] seals, and names every part that lost something", () => {
    const labels = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`label-${at}`, "v".repeat(63)]));
    const row = sealedRowOf(kind, {
      metadata: {
        name: "n".repeat(1_024),
        namespace: "n".repeat(63),
        uid: long,
        resourceVersion: long,
        labels,
        annotations: { "kubernetes.io/change-cause": long },
        ownerReferences: [{ apiVersion: `${long}/v1`, kind: long, name: long, uid: long }],
      },
      status: { conditions: [{ type: "Ready", status: "False", reason: long, message: long }] },
    });
    expect(row.columns.get("cut")).toEqual([
      "owner",
      "uid",
      "resourceVersion",
      "labels",
      "annotations",
      ...names("text"),
      ...names("list"),
    ]);
    expect([row.uid.length, row.labels.size]).toEqual([1_022, 210]);
  });
});
