// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { uncoveredRules } from "./escalation.ts";
import { createRule, type PolicyRule } from "./rbac-types.ts";
import { thrownCode } from "./testing/thrown-code.ts";

function on(verbs: string, apiGroups: string, resources: string, resourceNames?: string): PolicyRule {
  const list = (text: string): readonly string[] => text.split(" ");
  return createRule({
    verbs: list(verbs),
    apiGroups: apiGroups === "core" ? [""] : list(apiGroups),
    resources: list(resources),
    ...(resourceNames === undefined ? {} : { resourceNames: list(resourceNames) }),
  });
}

function urls(verbs: string, nonResourceURLs: string): PolicyRule {
  return createRule({ verbs: verbs.split(" "), nonResourceURLs: nonResourceURLs.split(" ") });
}

describe("[RB50] combinations", () => {
  test("are covered one by one by different rules held", () => {
    const held = [on("get list", "core", "pods"), on("get list", "core", "services")];
    expect(uncoveredRules(held, [on("list get", "core", "services pods")])).toEqual([]);
  });

  test("that are not covered are listed, and no others", () => {
    const held = [on("get", "core", "pods services"), on("list", "core", "pods")];
    const wanted = [{ ...on("get list", "core", "pods"), apiGroups: ["", "apps"] }];
    expect(uncoveredRules(held, wanted)).toEqual([on("get", "apps", "pods"), on("list", "apps", "pods")]);
  });

  test("are not covered by rules that would only do so together", () => {
    const held = [on("*", "core", "pods", "web"), on("get", "core", "pods", "db")];
    expect(uncoveredRules(held, [on("get", "core", "pods")])).toEqual([on("get", "core", "pods")]);
  });

  test("do not exist for a rule without verbs", () => {
    expect(uncoveredRules([], [createRule({ apiGroups: ["*"], resources: ["*"] }), createRule({})])).toEqual([]);
  });
});

describe("[RB51] wildcards and names", () => {
  test.each([
    ["a star held covers every verb", on("*", "core", "pods"), on("escalate", "core", "pods"), true],
    ["a star asked for needs a star held", on("get list watch", "core", "pods"), on("*", "core", "pods"), false],
    ["a star of groups", on("get", "*", "pods"), on("get", "core", "pods"), true],
    ["a star of groups asked for", on("get", "core apps", "pods"), on("get", "*", "pods"), false],
    ["a star of resources covers subresources", on("get", "core", "*"), on("get", "core", "pods/log"), true],
    ["a star of resources asked for", on("get", "core", "pods"), on("get", "core", "*"), false],
    ["a resource does not cover its subresource", on("get", "core", "pods"), on("get", "core", "pods/log"), false],
    ["a subresource of every resource", on("get", "core", "*/log"), on("get", "core", "pods/log"), true],
    ["of another subresource", on("get", "core", "*/log"), on("get", "core", "pods/exec"), false],
    ["asked for every resource", on("get", "core", "pods/log"), on("get", "core", "*/log"), false],
    ["any name covers a name", on("get", "core", "pods"), on("get", "core", "pods", "web"), true],
    ["a name does not cover any name", on("get", "core", "pods", "web"), on("get", "core", "pods"), false],
    ["one of the names", on("get", "core", "pods", "web db"), on("get", "core", "pods", "db"), true],
    ["another name", on("get", "core", "pods", "web"), on("get", "core", "pods", "db"), false],
    ["a star as a name is a name", on("get", "core", "pods", "*"), on("get", "core", "pods", "web"), false],
    ["an equal URL", urls("get", "/metrics"), urls("get", "/metrics"), true],
    ["a URL under a star", urls("get", "/foo/*"), urls("get", "/foo/bar"), true],
    ["a star under a star", urls("get", "/foo*"), urls("get", "/foo/*"), true],
    ["a wider star", urls("get", "/foo/*"), urls("get", "/foo*"), false],
    ["every URL", urls("*", "*"), urls("get", "*"), true],
    ["a rule on resources covers no URL", on("*", "*", "*"), urls("get", "/metrics"), false],
    ["a rule on URLs covers no resource", urls("*", "*"), on("get", "core", "pods"), false],
  ])("%s", (_what, held, wanted, isCovered) => {
    expect(uncoveredRules([held], [wanted])).toEqual(isCovered ? [] : [wanted]);
  });
});

describe("[RB54] too much to compare", () => {
  const many = (count: number): readonly string[] => Array.from({ length: count }, (_none, at) => `x${at}`);

  test("lists whose product is out of bounds are refused at once", () => {
    const names = many(20_000);
    const rule = { ...on("*", "*", "*"), verbs: names, apiGroups: names, resources: names, resourceNames: names };
    expect(thrownCode(() => uncoveredRules([], [rule]))).toBe("TOO_LARGE");
  });

  test("so are many rules against many rules held", () => {
    const held = many(2_500).map((verb) => on(verb, "core", "pods"));
    const wanted = [{ ...on("*", "core", "pods"), verbs: many(2_500).toReversed() }];
    expect(thrownCode(() => uncoveredRules(held, wanted))).toBe("TOO_LARGE");
  });

  test("a large role is still compared", () => {
    const wanted = [{ ...on("get", "core", "pods"), resourceNames: many(50_000) }];
    expect(uncoveredRules([on("get", "core", "pods")], wanted)).toEqual([]);
  });
});
