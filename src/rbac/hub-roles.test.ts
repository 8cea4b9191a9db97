// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createHubAuthorizer, hubGroups } from "./hub-roles.ts";
import { request, urlRequest } from "./testing/rbac-objects.ts";

const authorizer = createHubAuthorizer();
const resources = ["clusters", "jointokens", "sessions", "changes", "objects", "tokens"] as const;
const readVerbs = ["get", "list", "watch"];
const writeVerbs = ["create", "update", "patch", "delete"];

function may(groups: readonly string[], verb: string, resource: string, apiGroup = "fleet.flotilla.dev"): boolean {
  return authorizer({ user: "u", groups }, request(verb, resource, { apiGroup })).decision === "allow";
}

function mayUrl(groups: readonly string[], verb: string, path: string): boolean {
  return authorizer({ user: "u", groups }, urlRequest(verb, path)).decision === "allow";
}

/** The resources on which all of `verbs` are allowed, and none of them on any other. */
function allowedOn(group: string, verbs: readonly string[]): readonly string[] {
  const counts = resources.map((resource) => verbs.filter((verb) => may([group], verb, resource)).length);
  for (const count of counts) expect([0, verbs.length]).toContain(count);
  return resources.filter((_resource, at) => counts[at] === verbs.length);
}

test("[RB60] admins may do everything on the hub, and nothing in other API groups", () => {
  expect(allowedOn(hubGroups.admins, [...readVerbs, ...writeVerbs, "deletecollection"])).toEqual(resources);
  expect(may([hubGroups.admins], "get", "clusters/status")).toBe(true);
  expect(mayUrl([hubGroups.admins], "post", "/anything")).toBe(true);
  expect(may([hubGroups.admins], "get", "pods", "")).toBe(false);
});

test("[RB61] operators may read everything and write all but tokens and changes", () => {
  expect(allowedOn(hubGroups.operators, readVerbs)).toEqual(resources);
  expect(allowedOn(hubGroups.operators, writeVerbs)).toEqual(["clusters", "jointokens", "sessions"]);
  expect(may([hubGroups.operators], "deletecollection", "clusters")).toBe(false);
});

test("[RB62] [TU10] viewers may read clusters, sessions, changes and objects, and write nothing", () => {
  expect(allowedOn(hubGroups.viewers, readVerbs)).toEqual(["clusters", "sessions", "changes", "objects"]);
  expect(allowedOn(hubGroups.viewers, writeVerbs)).toEqual([]);
});

test("[SE69] [RB61] admins and operators may create hints, viewers may not; operators may do no more with them", () => {
  expect(may([hubGroups.admins], "create", "hints")).toBe(true);
  expect(writeVerbs.filter((verb) => may([hubGroups.operators], verb, "hints"))).toEqual(["create"]);
  for (const verb of [...readVerbs, ...writeVerbs]) expect(may([hubGroups.viewers], verb, "hints")).toBe(false);
});

test("[SQ2] [SQ9] viewers keep saved queries, operators also standing ones, and only admins manage those of others", () => {
  const verbs = ["get", "list", "create", "update", "delete"];
  const allowed = (group: string, resource: string): readonly string[] =>
    [...verbs, "manage"].filter((verb) => may([group], verb, resource));
  expect(allowed(hubGroups.viewers, "savedqueries")).toEqual(verbs);
  expect(allowed(hubGroups.viewers, "standingqueries")).toEqual([]);
  for (const resource of ["savedqueries", "standingqueries"]) {
    expect(allowed(hubGroups.operators, resource)).toEqual(verbs);
    expect(allowed(hubGroups.admins, resource)).toEqual([...verbs, "manage"]);
  }
});

describe("[RB62] URLs of operators and viewers", () => {
  test.each([hubGroups.operators, hubGroups.viewers])("%s", (group) => {
    for (const path of ["/health", "/version"]) {
      expect(mayUrl([group], "get", path)).toBe(true);
      expect(mayUrl([group], "post", path)).toBe(false);
    }
    expect(mayUrl([group], "get", "/debug")).toBe(false);
  });

  test("[L17] metrics, which count the rows of every cluster, are for those who may list rows", () => {
    expect(mayUrl([hubGroups.operators], "get", "/metrics")).toBe(true);
    expect(mayUrl([hubGroups.viewers], "get", "/metrics")).toBe(false);
  });
});

test.each([[["system:masters", "system:authenticated"]], [["flotilla:viewer"]], [[]]])(
  "[RB63] groups %j have no right on the hub",
  (groups) => {
    for (const resource of resources) expect(may(groups, "get", resource)).toBe(false);
    expect(mayUrl(groups, "get", "/metrics")).toBe(false);
  },
);
