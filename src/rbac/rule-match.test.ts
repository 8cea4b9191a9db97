// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createRule, type PolicyRule } from "./rbac-types.ts";
import { ruleAllows } from "./rule-match.ts";
import { request, urlRequest } from "./testing/rbac-objects.ts";

function podRule(lists: Partial<PolicyRule>): PolicyRule {
  return createRule({ verbs: ["get"], apiGroups: [""], resources: ["pods"], ...lists });
}

describe("[RB26] verb", () => {
  test.each([
    { verbs: ["get"], asked: "get", allowed: true },
    { verbs: ["list", "get"], asked: "get", allowed: true },
    { verbs: ["*"], asked: "deletecollection", allowed: true },
    { verbs: ["*"], asked: "", allowed: true },
    { verbs: ["Get"], asked: "get", allowed: false },
    { verbs: ["g*"], asked: "get", allowed: false },
    { verbs: [], asked: "get", allowed: false },
  ])("$verbs for $asked: $allowed", ({ verbs, asked, allowed }) => {
    expect(ruleAllows(podRule({ verbs }), request(asked, "pods"))).toBe(allowed);
  });
});

describe("[RB27] API group", () => {
  test.each([
    { apiGroups: [""], asked: "", allowed: true },
    { apiGroups: [""], asked: "apps", allowed: false },
    { apiGroups: ["apps"], asked: "", allowed: false },
    { apiGroups: ["apps", ""], asked: "apps", allowed: true },
    { apiGroups: ["*"], asked: "", allowed: true },
    { apiGroups: ["*"], asked: "apps", allowed: true },
    { apiGroups: ["*.example.com"], asked: "a.example.com", allowed: false },
    { apiGroups: [], asked: "", allowed: false },
  ])("$apiGroups for '$asked': $allowed", ({ apiGroups, asked, allowed }) => {
    expect(ruleAllows(podRule({ apiGroups }), request("get", "pods", { apiGroup: asked }))).toBe(allowed);
  });
});

describe("[RB28] resource", () => {
  test.each([
    { resources: ["pods"], asked: "pods", allowed: true },
    { resources: ["pods"], asked: "pods/log", allowed: false },
    { resources: ["pods/log"], asked: "pods/log", allowed: true },
    { resources: ["pods/log"], asked: "pods", allowed: false },
    { resources: ["*"], asked: "pods", allowed: true },
    { resources: ["*"], asked: "pods/log", allowed: true },
    { resources: ["*/log"], asked: "pods/log", allowed: true },
    { resources: ["*/log"], asked: "pods/exec", allowed: false },
    { resources: ["*/log"], asked: "log", allowed: false },
    { resources: ["*/log"], asked: "pods/catalog", allowed: false },
    { resources: ["pods/*"], asked: "pods/log", allowed: false },
    { resources: ["*/*"], asked: "pods/log", allowed: false },
    { resources: ["*/*"], asked: "pods", allowed: false },
    { resources: ["*/"], asked: "pods", allowed: false },
    { resources: [], asked: "pods", allowed: false },
  ])("$resources for $asked: $allowed", ({ resources, asked, allowed }) => {
    expect(ruleAllows(podRule({ resources }), request("get", asked))).toBe(allowed);
  });
});

describe("[RB29] resource names", () => {
  test.each([
    { resourceNames: [], asked: "web", allowed: true },
    { resourceNames: [], asked: "", allowed: true },
    { resourceNames: ["web"], asked: "web", allowed: true },
    { resourceNames: ["web"], asked: "db", allowed: false },
    { resourceNames: ["web"], asked: "", allowed: false },
    { resourceNames: ["*"], asked: "web", allowed: false },
    { resourceNames: ["*"], asked: "*", allowed: true },
    { resourceNames: ["", "web"], asked: "", allowed: true },
    { resourceNames: [""], asked: "web", allowed: false },
  ])("$resourceNames for '$asked': $allowed", ({ resourceNames, asked, allowed }) => {
    expect(ruleAllows(podRule({ resourceNames }), request("get", "pods", { name: asked }))).toBe(allowed);
  });
});

describe("[RB30] URL", () => {
  test.each([
    { url: "*", asked: "/anything", allowed: true },
    { url: "/metrics", asked: "/metrics", allowed: true },
    { url: "/metrics", asked: "/metrics/", allowed: false },
    { url: "/foo/*", asked: "/foo", allowed: false },
    { url: "/foo/*", asked: "/foo/bar/baz", allowed: true },
    { url: "/foo*", asked: "/foobar", allowed: true },
    { url: "/foo**", asked: "/foobar", allowed: true },
    { url: "/*/bar", asked: "/foo/bar", allowed: false },
    { url: "", asked: "/", allowed: false },
  ])("$url for $asked: $allowed", ({ url, asked, allowed }) => {
    const rule = createRule({ verbs: ["get"], nonResourceURLs: [url] });
    expect(ruleAllows(rule, urlRequest("get", asked))).toBe(allowed);
    expect(ruleAllows(rule, urlRequest("post", asked))).toBe(false);
  });
});

test("[RB32] a rule with resources and URLs applies each half to its own kind of request", () => {
  const rule = podRule({ nonResourceURLs: ["/metrics"], resourceNames: ["web"] });
  expect(ruleAllows(rule, request("get", "pods", { name: "web" }))).toBe(true);
  expect(ruleAllows(rule, urlRequest("get", "/metrics"))).toBe(true);
  expect(ruleAllows(rule, urlRequest("get", "/pods"))).toBe(false);
});
