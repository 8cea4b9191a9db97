// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { ColumnType } from "../../model/rows/row.ts";
import { checkQuery } from "./check-query.ts";
import { parseQuery } from "./parse-query.ts";
import type { QueryCatalog } from "./query-catalog.ts";
import type { CheckedQuery } from "./query-predicate.ts";

const kinds = new Map([
  ["pods", ["/pods"]],
  ["pod", ["/pods"]],
  ["deploy", ["apps/deployments", "extensions/deployments"]],
]);
const columns = new Map<string, ReadonlySet<ColumnType>>([
  ["restarts", new Set(["integer"])],
  ["ready", new Set(["string", "integer"])],
  ["suspend", new Set(["boolean"])],
  ["hosts", new Set(["stringList"])],
  ["capacity", new Set(["string"])],
  ["kubeletVersion", new Set(["string"])],
]);
const catalog: QueryCatalog = {
  findKind: (name) => kinds.get(name.toLowerCase()) ?? [],
  kindNames: ["pods", "deployments"],
  columnTypes: (name) => columns.get(name) ?? new Set(),
  columnNames: columns.keys(),
};
const nowMs = Date.parse("2026-01-31T12:00:00Z");

function check(text: string): CheckedQuery {
  return checkQuery(parseQuery(text), catalog, nowMs);
}

describe("checked query", () => {
  test.each([
    ["", { kind: "all" }],
    ["cluster:prod-*", { kind: "field", field: "cluster", test: { kind: "matches", pattern: "prod-*" } }],
    ["NS=shop", { kind: "field", field: "namespace", test: { kind: "equals", text: "shop" } }],
    ["name:a\\*", { kind: "field", field: "name", test: { kind: "equals", text: "a*" } }],
    ["reason~Back", { kind: "field", field: "reason", test: { kind: "contains", pattern: "back" } }],
    ["kind:Deploy", { kind: "resources", resources: ["apps/deployments", "extensions/deployments"] }],
    ["status:Unhealthy", { kind: "status", status: "unhealthy" }],
    ["age<1h", { kind: "age", order: "<", ms: 3_600_000 }],
    ["created>=2026-01-31", { kind: "created", order: ">=", atMs: Date.parse("2026-01-31T00:00:00Z") }],
    ["created<now-30m", { kind: "created", order: "<", atMs: nowMs - 1_800_000 }],
    ["label.App/x=web", { kind: "label", key: "App/x", test: { kind: "equals", text: "web" } }],
    ['annotations.a=""', { kind: "annotation", key: "a", test: { kind: "equals", text: "" } }],
    ["owner:Deployment/web-*", { kind: "owner", ownerKind: "Deployment", test: { kind: "matches", pattern: "web-*" } }],
    ["owner:web", { kind: "owner", ownerKind: "", test: { kind: "equals", text: "web" } }],
    ["image~nginx:1.2*", { kind: "image", test: { kind: "contains", pattern: "nginx:1.2*" } }],
    ["field.restarts>5", { kind: "column", column: "restarts", test: { number: { order: ">", value: 5 } } }],
    ["field.suspend:true", { kind: "column", column: "suspend", test: { boolean: true } }],
    [
      "field.ready=1",
      {
        kind: "column",
        column: "ready",
        test: {
          text: { kind: "equals", text: "1" },
          number: { order: "=", value: 1 },
          quantity: { order: "=", value: 1 },
        },
      },
    ],
    ["field.capacity>1Gi", { kind: "column", column: "capacity", test: { quantity: { order: ">", value: 2 ** 30 } } }],
    [
      "field.capacity<v1.2.3",
      { kind: "column", column: "capacity", test: { version: { order: "<", value: "v1.2.3" } } },
    ],
    [
      "field.kubeletVersion>=1.31",
      { kind: "column", column: "kubeletVersion", test: { version: { order: ">=", value: "1.31" } } },
    ],
    ["field.restarts>1k", { kind: "column", column: "restarts", test: { number: { order: ">", value: 1_000 } } }],
    [
      "field.restarts>now-1h",
      { kind: "column", column: "restarts", test: { number: { order: ">", value: nowMs - 3_600_000 } } },
    ],
    [
      "field.hosts=10.0.0.0/8",
      {
        kind: "column",
        column: "hosts",
        test: { text: { kind: "equals", text: "10.0.0.0/8" }, address: { order: "=", value: "10.0.0.0/8" } },
      },
    ],
    ["field.hosts>fd00::1", { kind: "column", column: "hosts", test: { address: { order: ">", value: "fd00::1" } } }],
    ["field.hosts=10.*", { kind: "column", column: "hosts", test: { text: { kind: "matches", pattern: "10.*" } } }],
    ["Back-Off", { kind: "text", test: { kind: "contains", pattern: "back-off" } }],
  ])("[Q-6] [QL4] [QL5] [QL6] %s", (text, filter) => {
    expect(check(text)).toEqual({ filter, atMs: undefined });
  });

  test("[QL3] several values are alternatives, and != is the complement of =", () => {
    const field = (text: string) => ({ kind: "field", field: "namespace", test: { kind: "equals", text } });
    const kind = (...resources: readonly string[]) => ({ kind: "resources", resources });
    expect(check("kind:in(Pod,deploy)").filter).toEqual({
      kind: "or",
      parts: [kind("/pods"), kind("apps/deployments", "extensions/deployments")],
    });
    expect(check("ns:in(a,b)").filter).toEqual({ kind: "or", parts: [field("a"), field("b")] });
    expect(check("ns!=a").filter).toEqual({ kind: "not", of: field("a") });
    expect(check("ns!=a,b").filter).toEqual({ kind: "not", of: { kind: "or", parts: [field("a"), field("b")] } });
  });

  test("[QL8] at: is taken out of the filter", () => {
    const status = { kind: "status", status: "unhealthy" };
    expect(check("status:unhealthy at:now-1h")).toEqual({ filter: status, atMs: nowMs - 3_600_000 });
    expect(check("at:2026-01-31T10:00:00Z")).toEqual({ filter: { kind: "all" }, atMs: nowMs - 7_200_000 });
  });

  test.each([
    ["statsu=unhealthy", 1, 'there is no field "statsu"; did you mean status? Fields are cluster, '],
    ["status:unhealthy statsu=x", 18, 'there is no field "statsu"'],
    ["label.=x", 1, '"label." needs a name, such as label.app or field.restarts'],
    ["label=x", 1, '"label" needs a name'],
    ["status:unhealty", 8, '"unhealty" is not a status; did you mean unhealthy? Statuses are unhealthy, '],
    ["status<healthy", 1, "`status` is compared with = only"],
    ["kind:podz", 6, 'no cluster has a kind "podz"; did you mean pods?'],
    ["kind~pod", 1, "`kind` is compared with = only"],
    ["field.restart>5", 1, 'no kind has a field "restart"; did you mean field.restarts?'],
    ["field.restarts>many", 16, "field.restarts is a number, which >many does not fit"],
    ["field.hosts<a", 13, "field.hosts is a list of texts, which <a does not fit; texts are ordered if they are"],
    ["field.hosts<10.0.0.0/8", 13, "field.hosts is a list of texts, which <10.0.0.0/8 does not fit"],
    ["field.restarts>now-5", 16, '"5" is not a duration'],
    ["age<1fortnight", 5, '"1fortnight" is not a duration'],
    ["age~1h", 1, "`age` is compared with <, <=, >, >= or ="],
    ["created>yesterday", 9, '"yesterday" is not a moment; write 2026-01-31T10:00:00Z'],
    ["created>2026-13-45", 9, '"2026-13-45" is not a moment'],
    ["name<5", 1, "< compares numbers and times; a text is compared with =, != or ~"],
    ["at:now-1h at:now", 11, "`at` is given twice"],
    ["a or at:now", 6, "`at` applies to the whole query"],
    ["at>now", 1, "`at` takes one moment"],
  ])("[Q-13] %j is refused at column %i: %s", (text, column, fault) => {
    expect(() => check(text)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining(`query, column ${column}: ${fault}`),
        ids: { column },
      }),
    );
  });
});
