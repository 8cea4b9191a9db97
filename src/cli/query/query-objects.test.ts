// SPDX-License-Identifier: Apache-2.0
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { testNowMs } from "../testing/recorded-io.ts";
import type { QueryFormat } from "./query-format.ts";
import { queryObjects } from "./query-objects.ts";
import {
  completeCoverage,
  type FakeQueryService,
  fakeObject,
  fakePods,
  fakeQueryCall,
  listOf,
  refusedAt,
  staleCoverage,
} from "./testing/fake-query.ts";
import { plainQuery, runQuery } from "./testing/run-query.ts";

const deployment = fakeObject(
  { resource: "apps/deployments", kind: "Deployment", name: "api", reason: "", labels: {}, message: "=cmd()" },
  "west",
);
const node = fakeObject({ resource: "nodes", kind: "Node", namespace: "", name: "n1", status: "healthy", reason: "" });
const mixed = [fakeObject(), deployment, node];

describe("[CL31] rows are printed", () => {
  test("as a table of kubectl's columns with CLUSTER first, if they are of one kind", async () => {
    const columns = {
      ready: { value: { case: "text", value: "0/1" } },
      restarts: { value: { case: "number", value: 9 } },
    } as const;
    const { stdout } = await runQuery(
      listOf([fakeObject({ columns }), fakeObject({ name: "worker" }, "west")]).service,
    );
    const [titles = "", first = ""] = stdout.split("\n");
    expect(titles).toMatch(/^CLUSTER +NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE$/);
    expect(first).toMatch(/^east +shop +web .* 5m$/);
  });

  test("as one table with KIND, if they are of several kinds; wide has more columns", async () => {
    const { stdout } = await runQuery(listOf(mixed).service);
    expect(stdout).toBe(
      [
        "CLUSTER   NAMESPACE   KIND         NAME   STATUS      REASON             AGE",
        "east      shop        Pod          web    unhealthy   CrashLoopBackOff   5m",
        "west      shop        Deployment   api    unhealthy                      5m",
        "east                  Node         n1     healthy                        5m",
        "",
      ].join("\n"),
    );
    const wide = await runQuery(listOf(mixed).service, { format: "wide" });
    expect(wide.stdout).toMatch(/REASON +AGE +OWNER +MESSAGE\n/);
  });

  test("without NAMESPACE for cluster-scoped kinds, and with status for kinds of which kubectl has only name and age", async () => {
    const issuer = { resource: "cert-manager.io/clusterissuers", kind: "ClusterIssuer", namespace: "", name: "acme" };
    const { stdout } = await runQuery(listOf([fakeObject(issuer)]).service);
    expect(stdout).toBe(
      "CLUSTER   NAME   STATUS      REASON             AGE\neast      acme   unhealthy   CrashLoopBackOff   5m\n",
    );
  });

  test("as csv with the same columns for all kinds", async () => {
    const { stdout } = await runQuery(listOf(mixed).service, { format: "csv" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe(
      "cluster,resource,kind,namespace,name,uid,status,reason,message,createdAt,owner,labels,removedAt",
    );
    expect(lines[1]).toBe(
      "east,pods,Pod,shop,web,u-1,unhealthy,CrashLoopBackOff,back-off 5m0s,2026-01-31T11:55:00.000Z,,app=web,",
    );
    expect(lines).toHaveLength(4);
  });

  test("with chosen fields, in their order and for all kinds", async () => {
    const columns = ["name", "cluster", "ns", "label.app", "field.restarts", "image", "owner"];
    const web = fakeObject({
      labels: { app: "web" },
      columns: {
        restarts: { value: { case: "number", value: 9 } },
        images: { value: { case: "texts", value: { values: ["shop/web:1", "proxy:2"] } } },
      },
    });
    const table = await runQuery(listOf([web, node]).service, { columns });
    const [titles = "", first = "", second = ""] = table.stdout.split("\n");
    expect(titles.split(/ {3,}/)).toEqual(["NAME", "CLUSTER", "NS", "LABEL.APP", "FIELD.RESTARTS", "IMAGE", "OWNER"]);
    expect(first).toMatch(/^web +east +shop +web +9 +shop\/web:1,proxy:2/);
    expect(second).toMatch(/^n1 +east/);
    const csv = await runQuery(listOf([web]).service, { columns: ["name", "status", "label.app"], format: "csv" });
    expect(csv.stdout).toBe("name,status,label.app\nweb,unhealthy,web\n");
    const unknown = await runQuery({}, { columns: ["nam"] });
    expect(unknown.message).toMatch(/^columns, column 1: there is no field "nam"; did you mean name\?/);
  });

  test("as names with four parts each", async () => {
    const { stdout } = await runQuery(listOf(mixed).service, { format: "name" });
    expect(stdout).toBe("east/shop/pod/web\nwest/shop/deployment.apps/api\neast/-/node/n1\n");
  });

  test("as one JSON line each", async () => {
    const { stdout } = await runQuery(listOf(mixed).service, { format: "ndjson" });
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ cluster: "east", kind: "Pod", labels: { app: "web" }, removedAt: null });
  });

  test.each(["json", "yaml"] as const)("as one %s document with total, query, facets and coverage", async (format) => {
    const facets = [{ field: "status", values: [{ value: "unhealthy", count: 2n }], noneCount: 1n }];
    const answer = { facets, canonicalQuery: "status=unhealthy" };
    const read = (text: string): unknown => (format === "json" ? JSON.parse(text) : parse(text));
    const { stdout } = await runQuery(listOf(mixed, answer).service, { format, facets: ["status"] });
    expect(read(stdout)).toMatchObject({
      objects: [{ cluster: "east", name: "web" }, { cluster: "west", name: "api" }, { name: "n1" }],
      total: 3,
      query: "status=unhealthy",
      facets: [{ field: "status", values: [{ value: "unhealthy", count: 2 }], otherCount: 0, noneCount: 1 }],
      coverage: { clusterCount: 2, isComplete: true },
    });
    const none = await runQuery(listOf([]).service, { format });
    expect(read(none.stdout)).toMatchObject({ objects: [], total: 0, coverage: { isComplete: true } });
    expect(none.stderr).toBe("flotilla: no objects match\n");
  });

  test("with the time of their removal, if deleted ones are asked for", async () => {
    const gone = { ...fakeObject(), removedAt: timestampFromMs(testNowMs - 120_000) };
    const list = listOf([gone]);
    expect((await runQuery(list.service, { includeDeleted: true })).stdout).toMatch(/REMOVED\n.*2m ago\n$/);
    expect(list.requests[0]?.includeDeleted).toBe(true);
  });

  test("and facets are tables below", async () => {
    const facets = [
      { field: "label.app", values: [{ value: "web", count: 7n }], otherCount: 2n, noneCount: 3n },
      { field: "status", values: [] },
    ];
    const { stdout } = await runQuery(listOf(fakePods(1), { facets }).service, { facets: ["label.app", "status"] });
    expect(stdout).toContain(
      "\n\nLABEL.APP       COUNT\nweb             7\n(other values)  2\n(none)          3\n\nSTATUS  COUNT\n",
    );
  });
});

describe("[CL34] pages", () => {
  test.each<[QueryFormat, number]>([
    ["table", 1_003],
    ["json", 1_003],
    ["yaml", 501],
    ["csv", 1_003],
    ["name", 1_003],
    ["ndjson", 1_003],
  ])("are followed to the last in %s, and each is printed before the next is asked for", async (format, count) => {
    const list = listOf(fakePods(count));
    const { call, stdout } = fakeQueryCall({
      listObjects: (request) => {
        const printed = stdout().match(/web-\d+/g)?.length ?? 0;
        expect(printed).toBe(Number(request.cursor || 0));
        return list.service.listObjects(request);
      },
    });
    await queryObjects(call, { ...plainQuery, limit: 0, format, sort: ["-age"], facets: [] });
    expect(stdout().match(/web-\d+/g)).toEqual(Array.from({ length: count }, (_value, at) => `web-${at}`));
    const pages = ["", "500", "1000"].filter((cursor) => Number(cursor) < count);
    expect(list.requests.map(({ cursor, limit, sort }) => [cursor, limit, sort])).toEqual(
      pages.map((cursor) => [cursor, 500, ["-age"]]),
    );
  });

  test("end at the limit, and one line has the number of rows", async () => {
    const list = listOf(fakePods(1_203));
    const { stdout, stderr } = await runQuery(list.service, { limit: 503, format: "name", facets: [] });
    expect(stdout.trimEnd().split("\n")).toHaveLength(503);
    expect(list.requests.map(({ limit }) => limit)).toEqual([500, 3]);
    expect(stderr).toBe("flotilla: printed 503 of 1203 rows; --limit 0 prints all\n");
  });

  test("of another kind than the first begin a table with the columns of all kinds", async () => {
    const { stdout } = await runQuery(listOf([...fakePods(500), deployment]).service, { limit: 0 });
    expect(stdout).toMatch(/\n\nCLUSTER +NAMESPACE +KIND +NAME +STATUS +REASON +AGE\nwest/);
  });

  test("that a hub repeats are an error and not an endless loop", async () => {
    const { code, message } = await runQuery(
      { listObjects: () => ({ objects: fakePods(1), next: "again" }) },
      { limit: 0 },
    );
    expect([code, message]).toEqual(["MALFORMED", "the hub sent the same page twice"]);
  });

  test("count facets once", async () => {
    const list = listOf(fakePods(501));
    await runQuery(list.service, { limit: 0, facets: ["kind"] });
    expect(list.requests.map(({ facets }) => facets)).toEqual([["kind"], []]);
  });
});

describe("[CL33] [L10] a partial answer", () => {
  test.each<[QueryFormat]>([["table"], ["csv"], ["json"]])("is printed as %s and ends with PARTIAL", async (format) => {
    const { stdout, code, message } = await runQuery(listOf(fakePods(2), { coverage: staleCoverage }).service, {
      format,
    });
    expect(stdout.match(/web-\d/g)).toHaveLength(2);
    expect([code, message]).toEqual([
      "PARTIAL",
      "296 of 300 clusters, 4 stale: a (disconnected 4m), b (grants are older than rows), c (neverSeen), 1 more",
    ]);
  });

  test("on any page makes the answer partial", async () => {
    const list = listOf(fakePods(501));
    const { code } = await runQuery(
      {
        listObjects: (request) => ({
          ...list.service.listObjects(request),
          coverage: request.cursor === "" ? completeCoverage : staleCoverage,
        }),
      },
      { limit: 0 },
    );
    expect(code).toBe("PARTIAL");
  });

  test("is assumed of a hub that reports no coverage", async () => {
    const { code } = await runQuery({ listObjects: () => ({ objects: fakePods(1), total: 1n }) });
    expect(code).toBe("PARTIAL");
  });
});

describe("[CL31] groups and plans", () => {
  const service: FakeQueryService = {
    listObjects: ({ groupBy, measure }) => {
      expect([groupBy, measure]).toEqual([["cluster", "label.app"], "field.restarts"]);
      return {
        groups: [
          { values: ["east", "=web"], count: 7n, least: -2, greatest: 12.5 },
          { values: ["west", ""], count: 1n },
        ],
        total: 8n,
        leftOutGroupCount: 3n,
        coverage: completeCoverage,
      };
    },
  };
  const grouped = { groupBy: ["cluster", "label.app"], measure: "field.restarts" };

  test("groups have a line each; those left out are counted", async () => {
    const { stdout, stderr } = await runQuery(service, grouped);
    expect(stdout).toBe(
      "CLUSTER  LABEL.APP  COUNT  LEAST  GREATEST\neast     =web       7      -2     12.5\nwest                1\n",
    );
    expect(stderr).toBe("flotilla: 3 smaller groups are left out\n");
    const first = await runQuery(service, { ...grouped, limit: 1 });
    expect(first.stdout).not.toContain("west");
    expect(first.stderr).toBe("flotilla: 4 smaller groups are left out\n");
  });

  test("groups as csv, ndjson and json", async () => {
    expect((await runQuery(service, { ...grouped, format: "csv" })).stdout).toBe(
      "cluster,label.app,count,least,greatest\neast,'=web,7,-2,12.5\nwest,,1,,\n",
    );
    const lines = (await runQuery(service, { ...grouped, format: "ndjson" })).stdout.split("\n");
    const group = { values: { cluster: "east", "label.app": "=web" }, count: 7, least: -2, greatest: 12.5 };
    expect(JSON.parse(lines[0] ?? "")).toEqual(group);
    const { stdout } = await runQuery(service, { ...grouped, format: "json" });
    expect(JSON.parse(stdout)).toMatchObject({ groups: [group, { least: null }], leftOutGroupCount: 3, total: 8 });
  });

  test("a plan has its steps, rows and time", async () => {
    const explain = {
      explain: () => ({
        canonicalQuery: "status=unhealthy",
        plan: ["posting status", "sort by age"],
        rowsRead: 12n,
        rowsMatched: 7n,
        tookMs: 1.25,
        coverage: completeCoverage,
      }),
    };
    const { stdout } = await runQuery(explain, { explain: true });
    expect(stdout).toBe(
      "query    status=unhealthy\nplan     posting status\n         sort by age\nrows     12 read, 7 matched\ntime     1.3 ms\n",
    );
    const json = await runQuery(explain, { explain: true, format: "json" });
    expect(JSON.parse(json.stdout)).toMatchObject({ rowsRead: 12, plan: ["posting status", "sort by age"] });
  });
});

describe("[CL36] [Q-13] a refused query", () => {
  const refuse = (column: number): FakeQueryService => ({
    listObjects: () => {
      throw refusedAt(column, 'there is no field "statsu"; did you mean status?');
    },
  });

  test("is shown with a caret under the mistake", async () => {
    const { code, message, stdout } = await runQuery(refuse(9), { query: "kind:Pod statsu=unhealthy" });
    expect([code, stdout]).toEqual(["INVALID_ARGUMENT", ""]);
    expect(message?.split("\n")).toEqual([
      'query, column 9: there is no field "statsu"; did you mean status?',
      "  kind:Pod statsu=unhealthy",
      "          ^",
    ]);
  });

  test("that is long, or has control characters, is cut and escaped around it; one past the end is shown too", async () => {
    const long = await runQuery(refuse(101), { query: `${"a".repeat(100)}b${"c".repeat(100)}` });
    const [, line = "", caret = ""] = long.message?.split("\n") ?? [];
    expect(line).toBe(`  …${"a".repeat(50)}b${"c".repeat(49)}…`);
    expect(line[caret.indexOf("^")]).toBe("b");
    const odd = await runQuery(refuse(3), { query: "a\nbc" });
    expect(odd.message?.split("\n").slice(1)).toEqual(["  a\\u000abc", "         ^"]);
    const end = await runQuery(refuse(4), { query: "a=(" });
    expect(end.message?.split("\n").slice(1)).toEqual(["  a=(", "     ^"]);
  });

  test("is shown as it was sent, with --at", async () => {
    const refusing: FakeQueryService = {
      async *loadPast() {
        yield { readCount: 0, clusterCount: 1 };
        throw refusedAt(2, 'there is no field "statsu"');
      },
    };
    const { message } = await runQuery(refusing, { query: "statsu=x or ns=a", at: "1h" });
    expect(message?.split("\n").slice(1)).toEqual(["  (statsu=x or ns=a) at=now-1h", "   ^"]);
  });
});

describe("[CL37] hostile cells", () => {
  const hostile = fakeObject({
    name: "\u001b[31mred",
    message: '=HYPERLINK("x")\n',
    reason: "-1",
    labels: { a: "@b" },
  });

  test.each<[QueryFormat]>([["table"], ["wide"], ["csv"], ["name"], ["ndjson"], ["json"], ["yaml"]])(
    "do not control a terminal in %s",
    async (format) => {
      const { stdout } = await runQuery(listOf([hostile, node]).service, { format });
      expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
      expect(stdout).toMatch(/\\(u001b|e)\[31mred/);
    },
  );

  test("are no formulas in csv", async () => {
    const { stdout } = await runQuery(listOf([hostile]).service, { format: "csv" });
    expect(stdout).toContain(`unhealthy,'-1,"'=HYPERLINK(""x"")\\u000a",`);
  });
});
