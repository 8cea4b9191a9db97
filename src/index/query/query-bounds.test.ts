// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createHasher } from "../../model/rows/hasher.ts";
import { type RowContent, toResourceVersion } from "../../model/rows/row.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import type { FieldRef } from "../language/field-ref.ts";
import type { QueryRequest } from "./query-request.ts";
import { runCompletion } from "./run-completion.ts";
import { runQuery } from "./run-query.ts";
import { finish } from "./testing/finish.ts";
import { PlainFleet } from "./testing/plain-fleet.ts";

const hasher = await createHasher();
const fields = { cluster: "east", region: "", environment: "" };
const everything: Visibility = { kind: "all" };

function content(namespace: string, name: string, more: Partial<RowContent> = {}): RowContent {
  return {
    namespace,
    name,
    uid: "",
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 0,
    status: "healthy",
    reason: "",
    message: "",
    labels: new Map(),
    annotations: new Map(),
    columns: new Map(),
    ...more,
  };
}

function someRows(count: number, label = "app"): readonly RowContent[] {
  return Array.from({ length: count }, (_, at) =>
    content(`n${at % 7}`, `r${at}`, { labels: new Map([[label, `v${at}`]]) }),
  );
}

function fleetOf(rows: ReadonlyMap<string, readonly RowContent[]>): PlainFleet {
  const fleet = new PlainFleet(hasher, () => []);
  for (const [place, contents] of rows) {
    const [cluster = "", resource = ""] = place.split(" ");
    fleet.fold({ fields: { ...fields, cluster }, resource }, contents);
  }
  return fleet;
}

const request: QueryRequest = {
  filter: { kind: "all" },
  visibilityOf: () => everything,
  limit: 10,
  facets: [],
  nowMs: 0,
};
const label: FieldRef = { field: "label.", name: "app" };

function repeat<T>(count: number, each: T): readonly T[] {
  return Array.from({ length: count }, () => each);
}

describe("bounds of a query", () => {
  test("[QL11] a facet has the 100 most frequent values and counts the others", () => {
    const rows = [
      ...someRows(130),
      content("a", "again", { labels: new Map([["app", "v129"]]) }),
      content("a", "none"),
    ];
    const fleet = fleetOf(new Map([["east pods", rows]]));
    const [facet] = finish(runQuery(fleet.tables, { ...request, facets: [{ ref: label }] })).facets;
    expect(facet?.values).toHaveLength(100);
    expect(facet?.values.slice(0, 3)).toEqual([
      { value: "v129", count: 2 },
      { value: "v0", count: 1 },
      { value: "v1", count: 1 },
    ]);
    expect(facet).toMatchObject({ otherCount: 30, noneCount: 1 });
  });

  test("[QL10] [Q-5] few matches among many rows are on one page each", () => {
    const rows = someRows(60).map(
      (row, at): RowContent => (at % 20 === 7 ? { ...row, status: "unhealthy", reason: "Failed" } : row),
    );
    const fleet = fleetOf(new Map([["east pods", rows]]));
    const filters: readonly QueryRequest["filter"][] = [
      { kind: "status", status: "unhealthy" },
      { kind: "field", field: "reason", test: { kind: "equals", text: "Failed" } },
    ];
    for (const filter of filters) {
      const names: string[] = [];
      let after: QueryRequest["after"];
      do {
        const answer = finish(runQuery(fleet.tables, { ...request, filter, limit: 1, after }));
        names.push(...answer.rows.map(({ row }) => `${row.namespace}/${row.name}`));
        after = answer.next;
      } while (after !== undefined && names.length < 9);
      expect(names).toEqual(["n0/r7", "n5/r47", "n6/r27"]);
    }
  });

  test("[QL12] groups beyond the first thousand are left out and counted", () => {
    const fleet = fleetOf(new Map([["east pods", someRows(1_003)]]));
    const { groups } = finish(
      runQuery(fleet.tables, { ...request, group: { by: [label, { field: "kind", name: "" }] } }),
    );
    expect(groups?.groups).toHaveLength(1_000);
    expect(groups?.groups[0]).toEqual({ values: ["v0", "pods"], count: 1 });
    expect(groups?.otherCount).toBe(3);
  });

  test.each([
    [{ limit: -1 }, "a page has 0 to 10000 rows; the limit is -1"],
    [{ limit: 10_001 }, "a page has 0 to 10000 rows; the limit is 10001"],
    [{ limit: 1.5 }, "a page has 0 to 10000 rows; the limit is 1.5"],
    [{ facets: repeat(9, { ref: label }) }, "a query has at most 8 facets"],
    [{ sort: repeat(5, { ref: label, isDescending: false }) }, "rows are sorted by at most 4 fields"],
    [{ group: { by: [] } }, "rows are grouped by one to 3 fields"],
    [{ group: { by: repeat(4, label) } }, "rows are grouped by one to 3 fields"],
  ])("[QL9] [QL11] [QL12] a request beyond a bound is refused: %j", (more, message) => {
    const fleet = fleetOf(new Map());
    expect(() => finish(runQuery(fleet.tables, { ...request, ...more }))).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message }),
    );
  });

  test("[QL13] rows of a granted namespace that appears later are visible from their first moment", () => {
    const fleet = fleetOf(new Map([["east pods", someRows(14)]]));
    const granted: Visibility = {
      kind: "some",
      names: new Set(),
      namespaces: new Set(["n1", "later"]),
      namesIn: new Map(),
      namespaceObjects: new Set(),
    };
    const facets = [{ ref: { field: "namespace", name: "" } }] as const;
    const ask = (): unknown =>
      finish(runQuery(fleet.tables, { ...request, facets, visibilityOf: () => granted })).facets[0]?.values;
    expect(ask()).toEqual([{ value: "n1", count: 2 }]);
    fleet.fold({ fields: { ...fields, cluster: "east" }, resource: "pods" }, [content("later", "first")]);
    expect(ask()).toEqual([
      { value: "n1", count: 2 },
      { value: "later", count: 1 },
    ]);
  });

  test("[QL15] a query over more visible rows than its budget is refused, whatever is hidden", () => {
    const fleet = fleetOf(
      new Map([
        ["east pods", someRows(70)],
        ["west pods", someRows(70)],
      ]),
    );
    const visible: Visibility = {
      kind: "some",
      names: new Set(),
      namespaces: new Set(["n1"]),
      namesIn: new Map(),
      namespaceObjects: new Set(),
    };
    const ask = (maxRows: number, visibilityOf: () => Visibility): number =>
      finish(runQuery(fleet.tables, { ...request, visibilityOf, budget: { maxRows, isOver: () => false } })).total;
    expect(ask(140, () => everything)).toBe(140);
    expect(() => ask(139, () => everything)).toThrow(
      expect.objectContaining({
        code: "TOO_LARGE",
        message: "the query reads more than 139 rows; narrow it by cluster, kind or namespace",
      }),
    );
    expect(ask(20, () => visible)).toBe(20);
    expect(() => ask(19, () => visible)).toThrow(expect.objectContaining({ code: "TOO_LARGE" }));
  });

  test("[QL15] a query ends at its deadline, in the slice in which it passes", () => {
    const fleet = fleetOf(new Map([["east pods", someRows(10)]]));
    let calls = 0;
    const isOver = (): boolean => {
      calls += 1;
      return true;
    };
    expect(() => runQuery(fleet.tables, { ...request, budget: { maxRows: 100, isOver } }).next()).toThrow(
      expect.objectContaining({
        code: "DEADLINE_EXCEEDED",
        message: "the query did not end before its deadline; narrow it by cluster, kind or namespace",
      }),
    );
    expect(calls).toBe(1);
  });

  test("[QL15] the plan counts visible rows alone: hidden rows and texts change nothing in it", () => {
    const shown = someRows(70);
    const hidden = [
      content("secret", "needle", { labels: new Map([["team", "x"]]), reason: "Hidden" }),
      ...someRows(35, "team").map((row) => ({ ...row, namespace: "secret" })),
    ];
    const some: Visibility = {
      kind: "some",
      names: new Set(["absent"]),
      namespaces: new Set(["n1", "n2"]),
      namesIn: new Map([["n3", new Set(["r3"])]]),
      namespaceObjects: new Set(),
    };
    const visibilityOf = (_cluster: string, resource: string): Visibility =>
      resource === "secrets" ? { kind: "none" } : some;
    const alone = fleetOf(
      new Map([
        ["east pods", shown],
        ["west pods", shown],
      ]),
    );
    const beside = fleetOf(
      new Map([
        ["east pods", [...shown, ...hidden]],
        ["west pods", shown],
        ["west secrets", hidden],
        ["north pods", hidden],
        ["north configmaps", hidden],
      ]),
    );
    const filters: readonly QueryRequest["filter"][] = [
      { kind: "all" },
      { kind: "field", field: "name", test: { kind: "equals", text: "needle" } },
      { kind: "field", field: "cluster", test: { kind: "equals", text: "east" } },
      { kind: "label", key: "team", test: { kind: "equals", text: "x" } },
      { kind: "text", test: { kind: "contains", pattern: "hidden" } },
      { kind: "resources", resources: ["secrets"] },
      { kind: "not", of: { kind: "resources", resources: ["pods"] } },
    ];
    for (const filter of filters) {
      const plans = [alone, beside].map(
        ({ tables }) => finish(runQuery(tables, { ...request, filter, visibilityOf, explain: true })).plan,
      );
      expect(plans[0], JSON.stringify(filter)).toEqual(plans[1]);
    }
    const { plan } = finish(
      runQuery(beside.tables, {
        ...request,
        filter: {
          kind: "and",
          parts: [
            { kind: "field", field: "cluster", test: { kind: "equals", text: "east" } },
            { kind: "age", order: "<", ms: 60_000 },
            { kind: "not", of: { kind: "status", status: "healthy" } },
          ],
        },
        visibilityOf,
        explain: true,
      }),
    );
    expect(plan).toEqual({
      parts: [
        { text: "cluster=east", access: "tables" },
        { text: "age<60000ms", access: "columnScan" },
        { text: "status=healthy", access: "postings" },
      ],
      readClusterCount: 1,
      skippedClusterCount: 1,
      readKindCount: 1,
      skippedKindCount: 1,
      readRowCount: 21,
      matchedRowCount: 0,
    });
  });

  test("[QL15] a query yields between slices and can be cancelled", () => {
    const fleet = fleetOf(
      new Map([
        ["east pods", someRows(10)],
        ["west pods", someRows(10)],
      ]),
    );
    const answer = finish(runQuery(fleet.tables, request, 1));
    expect(answer).toMatchObject({ total: 20, sliceCount: 3 });
    const cancelled = runQuery(fleet.tables, request, 1);
    expect(cancelled.next().done).toBe(false);
    expect(cancelled.return(answer)).toEqual({ done: true, value: answer });
    expect(cancelled.next().done).toBe(true);
  });
});

describe("completion over rows", () => {
  test("[Q-37] [QL13] lists values and keys of visible rows alone", () => {
    const fleet = fleetOf(
      new Map([
        [
          "east pods",
          [
            content("shop", "a", { labels: new Map([["app", "web"]]) }),
            content("shop", "b", { labels: new Map([["app", "Worker"]]) }),
            content("vault", "c", {
              labels: new Map([
                ["app", "wallet"],
                ["secret-key", "x"],
              ]),
            }),
          ],
        ],
        ["west secrets", [content("vault", "d")]],
      ]),
    );
    const visibilityOf = (_cluster: string, resource: string): Visibility =>
      resource === "secrets"
        ? { kind: "none" }
        : {
            kind: "some",
            names: new Set(),
            namespaces: new Set(["shop"]),
            namesIn: new Map(),
            namespaceObjects: new Set(),
          };
    const complete = (text: string): readonly string[] => {
      const catalog = { kindNames: ["Pod"], columnNames: [] };
      const running = runCompletion(fleet.tables, { text, caret: text.length, catalog, visibilityOf, nowMs: 0 });
      return finish(running).completions.map((each) => `${each.text} ${each.detail}`.trim());
    };
    expect(complete("label.app=w")).toEqual(["Worker 1 row", "web 1 row"]);
    expect(complete("label.app=")).toEqual(["Worker 1 row", "web 1 row"]);
    expect(complete("label.s")).toEqual(["label.s=", "label.s!="].concat(complete("label.s").slice(2)));
    expect(complete("label.a")[0]).toBe("label.app 2 rows");
    expect(complete("ns:")).toEqual(["shop 2 rows"]);
    expect(complete("cluster:")).toEqual(["east 2 rows"]);
    expect(complete("kind:")).toEqual(["Pod"]);
  });
});
