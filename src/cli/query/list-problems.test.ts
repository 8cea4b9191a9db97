// SPDX-License-Identifier: Apache-2.0
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { testNowMs } from "../testing/recorded-io.ts";
import { listProblems } from "./list-problems.ts";
import { completeCoverage, fakePods, fakeQueryCall, refusedAt, staleCoverage } from "./testing/fake-query.ts";

const id = "0123456789abcdef";
const problem = {
  id,
  title: "ImagePullBackOff shop/api:1.4: 37 Pods, 9 clusters",
  status: "unhealthy",
  objectCount: 37n,
  clusterCount: 9,
  samples: [{ cluster: "east", resource: "apps/deployments", namespace: "shop", name: "api" }],
  since: timestampFromMs(testNowMs - 7_200_000),
};
const plain = { queryOrId: "", includeDegraded: false, at: "", limit: 100 };

describe("[CL38] problems", () => {
  test("are printed one per line with their ids; those left out are counted", async () => {
    const { call, stdout, stderr } = fakeQueryCall({
      problems: ({ query, limit, includeDegraded, problemId }) => {
        expect([query, limit, includeDegraded, problemId]).toEqual(["ns:shop", 500, true, ""]);
        return { problems: [problem], leftOutCount: 4n, coverage: completeCoverage };
      },
    });
    await listProblems(call, { queryOrId: "ns:shop", includeDegraded: true, at: "", limit: 0 });
    expect(stdout()).toBe(
      `ID                STATUS     FOR  CLUSTERS  PROBLEM\n${id}  unhealthy  2h   east +8   ${problem.title}\n`,
    );
    expect(stderr()).toBe("flotilla: 4 more problems are left out; narrow the query or raise --limit\n");
  });

  test("as JSON have their counts and the coverage; a partial answer ends with PARTIAL", async () => {
    const answer = { problems: [problem], coverage: staleCoverage };
    const { call, stdout } = fakeQueryCall({ problems: () => answer }, "json");
    await expect(listProblems(call, plain)).rejects.toMatchObject({ code: "PARTIAL" });
    expect(JSON.parse(stdout())).toMatchObject({
      problems: [{ id, objectCount: 37 }],
      leftOutCount: 0,
      coverage: { staleCount: 4 },
    });
    const none = fakeQueryCall({ problems: () => ({ coverage: completeCoverage }) });
    await listProblems(none.call, plain);
    expect(none.stdout()).toBe("no problems\n");
  });

  test("by id have their objects, page by page", async () => {
    const objects = fakePods(502);
    const service = {
      problems: (request: { problemId: string; cursor: string; limit: number }) => {
        expect(request.problemId).toBe(id);
        const from = Number(request.cursor || 0);
        const to = from + request.limit;
        const next = to < objects.length ? String(to) : "";
        return { objects: objects.slice(from, to), next, coverage: completeCoverage };
      },
    };
    const all = fakeQueryCall(service, "json");
    await listProblems(all.call, { ...plain, queryOrId: id, limit: 0 });
    expect(JSON.parse(all.stdout())).toMatchObject({ objects: { length: 502 }, coverage: { isComplete: true } });
    const some = fakeQueryCall(service);
    await listProblems(some.call, { ...plain, queryOrId: id, limit: 2 });
    expect(some.stdout().split("\n")).toHaveLength(4);
    expect(some.stderr()).toBe("flotilla: there are more objects than the limit of 2; --limit 0 prints all\n");
    const none = fakeQueryCall({ problems: () => ({ coverage: completeCoverage }) });
    await listProblems(none.call, { ...plain, queryOrId: id });
    expect(none.stderr()).toBe(
      `flotilla: problem ${id} has no objects now; if it was listed with --degraded, give --degraded here too\n`,
    );
  });

  test("[CL36] of a refused query show it with a caret", async () => {
    const { call } = fakeQueryCall({
      problems: () => {
        throw refusedAt(1, "no");
      },
    });
    await expect(listProblems(call, { ...plain, queryOrId: "x=1" })).rejects.toThrow("query, column 1: no\n  x=1\n  ^");
  });
});
