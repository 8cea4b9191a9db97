// SPDX-License-Identifier: Apache-2.0
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { toConnectError } from "../../rpc/rpc-error.ts";
import { testNowMs } from "../testing/recorded-io.ts";
import { listChanges } from "./list-changes.ts";
import { loadMoment, toMomentText } from "./load-past.ts";
import type { QueryFormat } from "./query-format.ts";
import { completeCoverage, type FakeQueryService, fakeObject, fakeQueryCall } from "./testing/fake-query.ts";

const moments = { from: timestampFromMs(testNowMs - 3_600_000), to: timestampFromMs(testNowMs) };
const row = (fields = {}) => fakeObject(fields).row;

const service: FakeQueryService = {
  async *loadPast() {
    yield { readCount: 0, clusterCount: 2, ...moments };
    yield { readCount: 2, clusterCount: 2, ...moments };
  },
  listObjectChanges: ({ cursor }) => ({
    changes:
      cursor === ""
        ? [
            { cluster: "east", state: "left", before: row({ name: "a" }) },
            {
              cluster: "east",
              state: "changed",
              before: row({ name: "b" }),
              after: row({ name: "b" }),
              fields: [
                { field: "status", before: "healthy", after: "unhealthy" },
                { field: "reason", after: "=x\u001b" },
              ],
            },
          ]
        : [{ cluster: "west", state: "entered", after: row({ name: "c" }) }],
    next: cursor === "" ? "2" : "",
    enteredCount: 1n,
    leftCount: 1n,
    changedCount: 1n,
    canonicalQuery: "ns=a",
    coverage: completeCoverage,
  }),
};

async function run(format: QueryFormat, limit = 0) {
  const { call, stdout, stderr } = fakeQueryCall(service);
  await listChanges(call, { query: "ns:a", changesSince: "1h", until: "", limit, format });
  return { stdout: stdout(), stderr: stderr() };
}

test("[CL40] changes are printed with each field before and after, and the counts of all pages", async () => {
  const { stdout, stderr } = await run("table");
  expect(stdout).toBe(
    [
      "STATE     CLUSTER   NAMESPACE   KIND   NAME   FIELD       BEFORE      AFTER",
      "left      east      shop        Pod    a      (deleted)   unhealthy   (none)",
      "changed   east      shop        Pod    b      status      healthy     unhealthy",
      "changed   east      shop        Pod    b      reason      (none)      =x\\u001b",
      "entered   west      shop        Pod    c      (created)   (none)      unhealthy",
      "",
    ].join("\n"),
  );
  expect(stderr).toBe("flotilla: 1 entered, 1 left, 1 changed\n");
  expect((await run("table", 2)).stderr).toContain("printed 2 of 3 objects; --limit 0 prints all");
});

test("[CL40] [CL37] changes are printed for programs", async () => {
  expect((await run("csv")).stdout.split("\n").slice(0, 4)).toEqual([
    "state,cluster,resource,kind,namespace,name,field,before,after",
    "left,east,pods,Pod,shop,a,(deleted),unhealthy,",
    "changed,east,pods,Pod,shop,b,status,healthy,unhealthy",
    "changed,east,pods,Pod,shop,b,reason,,'=x\\u001b",
  ]);
  expect((await run("name")).stdout).toBe("east/shop/pod/a\neast/shop/pod/b\nwest/shop/pod/c\n");
  const lines = (await run("ndjson")).stdout.trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { state: string }).state)).toEqual(["left", "changed", "entered"]);
  expect(JSON.parse((await run("json")).stdout)).toMatchObject({
    changes: [{ before: { name: "a" }, after: null }, { fields: [{ field: "status" }, { before: null }] }, {}],
    enteredCount: 1,
    from: new Date(testNowMs - 3_600_000).toISOString(),
    coverage: { isComplete: true },
  });
});

test("[CL40] the progress is on the terminal, and a moment that is not kept ends the verb with the hub's sentence", async () => {
  const { call, stderr } = fakeQueryCall(service);
  const io = { ...call.io, stderr: { ...call.io.stderr, isTerminal: true } };
  await loadMoment({ ...call, io }, { query: "ns:a", at: "10m" });
  expect(stderr()).toContain("reading history: 2 of 2 clusters");
  const gone = fakeQueryCall({
    async *loadPast() {
      yield { readCount: 0, clusterCount: 1 };
      throw toConnectError(
        new FlotillaError("GONE", "history before 2026-01-01T00:00:00.000Z is not kept; ask for a later time"),
        "req_1",
      );
    },
  });
  await expect(loadMoment(gone.call, { query: "", at: "30d" })).rejects.toMatchObject({
    code: "GONE",
    message: "history before 2026-01-01T00:00:00.000Z is not kept; ask for a later time",
  });
});

test("[CL40] a time before now and a moment are both moments", () => {
  expect(["10m", "1h30m", "now-1h", "2026-01-31", "soon"].map(toMomentText)).toEqual([
    "now-10m",
    "now-1h30m",
    "now-1h",
    "2026-01-31",
    "soon",
  ]);
});
