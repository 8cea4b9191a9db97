// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { type CompareWanted, printComparison } from "./print-comparison.ts";
import { completeCoverage, fakeQueryCall, refusedAt, staleCoverage } from "./testing/fake-query.ts";

const plain: CompareWanted = { query: "kind:deploy", at: "", clusters: [], goldenCluster: "", all: false, limit: 100 };
const web = {
  resource: "apps/deployments",
  kind: "Deployment",
  namespace: "shop",
  name: "web",
  presentIn: ["a", "b"],
  missingIn: ["c"],
  noAccessIn: ["d"],
  fields: [
    {
      field: "image",
      variants: [
        { value: "api:1.4", clusters: ["a"] },
        { value: "", clusters: ["b", "e", "f", "g", "h", "i", "j"] },
      ],
    },
  ],
};
const equal = { ...web, name: "same", missingIn: [], noAccessIn: [], fields: [] };

describe("[CL38] compare", () => {
  test("prints where an object is missing, and each value with its clusters", async () => {
    const { call, stdout } = fakeQueryCall({
      compare: ({ query, clusters, goldenCluster, differingOnly }) => {
        expect([query, clusters, goldenCluster, differingOnly]).toEqual(["kind:deploy", ["prod-*"], "a", true]);
        return { objects: [web], coverage: completeCoverage };
      },
    });
    await printComparison(call, { ...plain, clusters: ["prod-*"], goldenCluster: "a" });
    expect(stdout()).toBe(
      [
        "KIND         NAMESPACE   NAME   FIELD         VALUE     CLUSTERS",
        "Deployment   shop        web    (missing)               1: c",
        "Deployment   shop        web    (no access)             1: d",
        "Deployment   shop        web    image         api:1.4   1: a",
        "Deployment   shop        web    image         (none)    7: b, e, f, g, h, 2 more",
        "",
      ].join("\n"),
    );
  });

  test("prints equal objects too with --all, and nothing but a sentence if nothing differs", async () => {
    const same = fakeQueryCall({ compare: () => ({ objects: [equal], coverage: completeCoverage }) });
    await printComparison(same.call, { ...plain, all: true });
    expect(same.stdout()).toMatch(/same +\(equal\) +2: a, b\n$/);
    const none = fakeQueryCall({ compare: () => ({ coverage: completeCoverage }) });
    await printComparison(none.call, plain);
    expect([none.stdout(), none.stderr()]).toEqual(["", "flotilla: no object differs or is missing in a cluster\n"]);
  });

  test("follows pages to the limit, and prints one document; a partial answer ends with PARTIAL", async () => {
    const service = {
      compare: ({ cursor }: { cursor: string }) => ({
        objects: [web],
        next: cursor === "" ? "1" : cursor === "1" ? "2" : "",
        coverage: staleCoverage,
      }),
    };
    const all = fakeQueryCall(service, "json");
    await expect(printComparison(all.call, { ...plain, limit: 0 })).rejects.toMatchObject({ code: "PARTIAL" });
    expect(JSON.parse(all.stdout())).toMatchObject({
      objects: [web, web, web].map(({ name, missingIn }) => ({ name, missingIn })),
      coverage: { isComplete: false },
    });
    const some = fakeQueryCall(service);
    await expect(printComparison(some.call, { ...plain, limit: 2 })).rejects.toMatchObject({ code: "PARTIAL" });
    expect(some.stderr()).toBe("flotilla: there are more objects than the limit of 2; --limit 0 prints all\n");
  });

  test("[CL36] of a refused query shows it with a caret", async () => {
    const { call } = fakeQueryCall({
      compare: () => {
        throw refusedAt(6, "no cluster has a kind");
      },
    });
    await expect(printComparison(call, plain)).rejects.toThrow("\n  kind:deploy\n       ^");
  });
});
