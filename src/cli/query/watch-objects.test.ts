// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { completeCoverage, fakeObject, fakeQueryCall, refusedAt, staleCoverage } from "./testing/fake-query.ts";
import { type ViewWanted, watchObjects } from "./watch-objects.ts";

const plain: ViewWanted = { query: "status:unhealthy", sort: [], facets: [], limit: 100, format: "table" };

const web = fakeObject();
const webAgain = fakeObject({ resourceVersion: "8", status: "degraded" });
const api = fakeObject({ name: "api" });
const keyOfWeb = { cluster: "east", resource: "pods", namespace: "shop", name: "web" };
const coverage = completeCoverage;

/** The EVENT, CLUSTER, NAMESPACE and NAME of each line below the header. */
function eventsIn(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/).slice(0, 4).join(" "));
}

describe("[CL35] a live view", () => {
  test("prints its rows, then each that enters, changes or leaves, as kubectl with --output-watch-events", async () => {
    const { call, stop, stdout, stderr } = fakeQueryCall({
      async *watchObjects({ query, limit, position }) {
        expect([query, limit, position]).toEqual(["status:unhealthy", 100, ""]);
        yield { isSnapshot: true, objects: [web], places: [0], total: 1n, coverage, position: "p1" };
        yield { objects: [webAgain, api], places: [0, 1], total: 2n, coverage, position: "p2" };
        yield { objects: [webAgain], places: [1], total: 2n, coverage, position: "p3" };
        yield { left: [keyOfWeb], total: 1n, coverage, position: "p4" };
        stop.abort(new Error("SIGINT"));
      },
    });
    await watchObjects(call, plain);
    expect(eventsIn(stdout())).toEqual([
      "EVENT CLUSTER NAMESPACE NAME",
      "ADDED east shop web",
      "MODIFIED east shop web",
      "ADDED east shop api",
      "DELETED east shop web",
    ]);
    expect(stderr()).toBe("");
  });

  test.each(["ndjson", "json", "yaml"] as const)(
    "has one %s document per event, and the view after them",
    async (format) => {
      const facets = [{ field: "kind", values: [{ value: "Pod", count: 1n }] }];
      const { call, stop, stdout } = fakeQueryCall({
        async *watchObjects(request) {
          expect(request.facets).toEqual(["kind"]);
          yield { isSnapshot: true, objects: [web, api], places: [0, 1], total: 2n, facets, coverage, position: "p1" };
          yield { total: 2n, facets, coverage, position: "p2" };
          yield { objects: [api], places: [0], left: [keyOfWeb], total: 1n, facets, coverage, position: "p3" };
          yield { objects: [web], places: [0], total: 2n, facets, coverage, position: "p4" };
          yield { objects: [web], places: [1], total: 2n, facets, coverage, position: "p5" };
          yield { left: [keyOfWeb], coverage, position: "p6" };
          stop.abort(new Error("SIGINT"));
        },
      });
      await watchObjects(call, { ...plain, format, facets: ["kind"] });
      const texts = stdout().split(format === "yaml" ? "---\n" : "\n");
      const documents = texts.filter((text) => text !== "").map((text): unknown => parse(text));
      expect(documents).toMatchObject([
        { type: "ADDED", place: 0, object: { cluster: "east", name: "web", status: "unhealthy" } },
        { type: "ADDED", place: 1, object: { name: "api" } },
        { type: "VIEW", total: 2, facets: [{ field: "kind" }], coverage: { isComplete: true }, position: "p1" },
        { type: "DELETED", object: { name: "web" } },
        { type: "MOVED", place: 0, object: { name: "api" } },
        { type: "VIEW", total: 1, position: "p3" },
        { type: "ADDED", place: 0, object: { name: "web" } },
        { type: "VIEW", total: 2, position: "p4" },
        { type: "MOVED", place: 1, object: { name: "web" } },
        { type: "VIEW", total: 2, position: "p5" },
        { type: "DELETED", object: { name: "web" } },
        { type: "VIEW", total: 0, position: "p6" },
      ]);
    },
  );

  test("[CL2] resumes from its position when the hub returns", async () => {
    const asked: string[] = [];
    const { call, stop, stdout, stderr } = fakeQueryCall({
      async *watchObjects({ position }) {
        asked.push(position);
        if (asked.length === 1) {
          yield { isSnapshot: true, objects: [web], coverage, position: "p1" };
          throw new ConnectError("closing", Code.Unavailable);
        }
        yield { objects: [webAgain], coverage, position: "p2" };
        stop.abort(new Error("SIGINT"));
      },
    });
    await watchObjects(call, plain);
    expect(asked).toEqual(["", "p1"]);
    expect(eventsIn(stdout()).slice(1)).toEqual(["ADDED east shop web", "MODIFIED east shop web"]);
    expect(stderr()).toMatch(/^flotilla: the hub was lost \(closing\).*\nflotilla: the hub answers again.*\n$/);
  });

  test("[QL21] resumes from its position when the hub ended it because it was read too slowly", async () => {
    const asked: string[] = [];
    const { call, stop, stdout, stderr } = fakeQueryCall({
      async *watchObjects({ position }) {
        asked.push(position);
        if (asked.length === 3) {
          yield { objects: [api], places: [0], coverage, position: "p3" };
          stop.abort(new Error("SIGINT"));
          return;
        }
        yield asked.length === 1
          ? { isSnapshot: true, objects: [web], places: [0], coverage, position: "p1" }
          : { objects: [webAgain], places: [0], coverage, position: "p2" };
        throw new ConnectError("is closed", Code.OutOfRange);
      },
    });
    await watchObjects(call, plain);
    expect(asked).toEqual(["", "p1", "p2"]);
    expect(eventsIn(stdout()).slice(1)).toEqual([
      "ADDED east shop web",
      "MODIFIED east shop web",
      "ADDED east shop api",
    ]);
    expect(stderr()).toBe("");
  });

  test.each([
    ["the hub begins with a snapshot", false],
    ["the position is gone", true],
  ])("[L1] prints only differences when %s", async (_why, isGone) => {
    const asked: string[] = [];
    const { call, stop, stdout } = fakeQueryCall({
      async *watchObjects({ position }) {
        asked.push(position);
        if (asked.length === 1) {
          yield { isSnapshot: true, objects: [web, api], coverage, position: "p1" };
          return;
        }
        if (isGone && position !== "") throw new ConnectError("is gone", Code.OutOfRange);
        yield { isSnapshot: true, objects: [webAgain], coverage, position: "q1" };
        yield { isSnapshot: true, objects: [webAgain], coverage, position: "q2" };
        stop.abort(new Error("SIGINT"));
      },
    });
    await watchObjects(call, plain);
    expect(asked).toEqual(isGone ? ["", "p1", ""] : ["", "p1"]);
    expect(eventsIn(stdout()).slice(1)).toEqual([
      "ADDED east shop web",
      "ADDED east shop api",
      "DELETED east shop api",
      "MODIFIED east shop web",
    ]);
  });

  test("[CL33] reports a changed coverage and rows beyond the limit on standard error, each once", async () => {
    const older = {
      ...staleCoverage,
      clusters: staleCoverage.clusters.map((each) => ({ ...each, asOfMsAgo: 999_000n })),
    };
    const { call, stop, stderr } = fakeQueryCall({
      async *watchObjects({ limit }) {
        expect(limit).toBe(500);
        yield { isSnapshot: true, objects: [web], total: 1n, coverage, position: "1" };
        yield { total: 501n, coverage: staleCoverage, position: "2" };
        yield { total: 502n, coverage: older, position: "3" };
        yield { total: 502n, coverage, position: "4" };
        stop.abort(new Error("SIGINT"));
      },
    });
    await watchObjects(call, { ...plain, limit: 0 });
    expect(stderr().split("\n")).toEqual([
      expect.stringMatching(/^flotilla: 296 of 300 clusters, 4 stale: a \(disconnected 4m\)/),
      "flotilla: the view has the first 500 of 501 rows; narrow the query to follow all of them",
      "flotilla: all clusters are read and current again",
      "",
    ]);
  });

  test("[CL36] of a refused query ends with the query and a caret", async () => {
    const { call } = fakeQueryCall({
      // oxlint-disable-next-line require-yield -- it fails before its first message
      async *watchObjects() {
        throw refusedAt(1, "there is no field");
      },
    });
    await expect(watchObjects(call, plain)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("\n  status:unhealthy\n  ^"),
    });
  });
});
