// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RelationsResponseSchema } from "../../gen/flotilla/query/v1/query_pb.ts";
import { toRelationLines } from "./relation-tree.ts";
import { showRelations } from "./show-relations.ts";
import { fakeQueryCall } from "./testing/fake-query.ts";

function keyOf(resource: string, name: string, namespace = "shop") {
  return { cluster: "east", resource, namespace, name };
}

const pod = { key: keyOf("pods", "web-1"), kind: "Pod", status: "unhealthy", reason: "CrashLoopBackOff" };
const set = { key: keyOf("apps/replicasets", "web"), kind: "ReplicaSet", status: "degraded" };
const deployment = { key: keyOf("apps/deployments", "web"), kind: "Deployment", status: "degraded" };
const service = { key: keyOf("services", "web"), kind: "Service", status: "healthy" };
const node = { key: keyOf("nodes", "n1", ""), kind: "Node", status: "healthy" };
const answer = {
  objects: [set, pod, deployment, service, node],
  relations: [
    { from: deployment.key, to: set.key, type: "owns" },
    { from: set.key, to: pod.key, type: "owns" },
    { from: service.key, to: pod.key, type: "selects" },
    { from: pod.key, to: node.key, type: "runsOn" },
    { from: service.key, to: pod.key, type: "hasEndpoints" },
  ],
};

describe("[CL38] relations", () => {
  test("are a tree below what owns, routes to or uses an object; what was printed above is not repeated", async () => {
    const { call, stdout } = fakeQueryCall({ relations: () => ({ ...answer, isTruncated: true }) });
    await showRelations(call, { cluster: "east", kind: "rs", namespace: "shop", name: "web" });
    expect(stdout()).toBe(
      [
        "Deployment shop/web  degraded",
        "└─ owns ReplicaSet shop/web  degraded *",
        "   └─ owns Pod shop/web-1  unhealthy  CrashLoopBackOff",
        "      └─ runs on Node n1  healthy",
        "Service shop/web  healthy",
        "└─ selects, has endpoints Pod shop/web-1  unhealthy  CrashLoopBackOff (see above)",
        "",
      ].join("\n"),
    );
  });

  test("as JSON are objects and relations; a truncated answer is reported", async () => {
    const { call, stdout, stderr } = fakeQueryCall({ relations: () => ({ ...answer, isTruncated: true }) }, "json");
    await showRelations(call, { cluster: "east", kind: "rs", namespace: "shop", name: "web" });
    expect(JSON.parse(stdout())).toMatchObject({
      objects: [{ kind: "ReplicaSet" }, {}, {}, {}, {}],
      isTruncated: true,
    });
    expect(stderr()).toContain("more objects are related than an answer can hold");
  });

  test("of any graph print every object and every relation once, also in circles", () => {
    const graph = fc.integer({ min: 1, max: 6 }).chain((count) => {
      const place = fc.nat({ max: count - 1 });
      return fc.tuple(fc.constant(count), fc.uniqueArray(fc.tuple(place, place), { maxLength: 10, selector: String }));
    });
    fc.assert(
      fc.property(graph, ([count, edges]) => {
        const keys = Array.from({ length: count }, (_value, at) => keyOf("pods", `p${at}`));
        const lines = toRelationLines(
          create(RelationsResponseSchema, {
            objects: keys.map((key) => ({ key, kind: "Pod" })),
            relations: edges.flatMap(([from, to]) => {
              const [above, below] = [keys[from], keys[to]];
              return above === undefined || below === undefined ? [] : [{ from: above, to: below, type: "owns" }];
            }),
          }),
        );
        for (const { name } of keys) expect(lines.some((line) => new RegExp(`/${name}( |$)`).test(line))).toBe(true);
        expect(lines.filter((line) => line.includes("owns "))).toHaveLength(edges.filter(([a, b]) => a !== b).length);
      }),
      { numRuns: 100 },
    );
  });
});
