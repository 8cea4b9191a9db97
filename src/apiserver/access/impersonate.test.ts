// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createSubject, type Subject } from "../../model/subject.ts";
import type { RequestAttributes } from "../../rbac/attributes.ts";
import type { Authorizer } from "../../rbac/authorizer-chain.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { impersonate } from "./impersonate.ts";

const listPods: RequestAttributes = {
  kind: "resource",
  verb: "list",
  apiGroup: "",
  resource: "pods",
  subresource: "",
  namespace: "n",
  name: "",
};

const bob = createSubject({ user: "bob" });

/** Allows what is listed as `verb resource name`. */
function allowing(...allowed: readonly string[]): Authorizer {
  return (_user, attributes) => {
    const what = attributes.kind === "resource" ? `${attributes.resource} ${attributes.name}` : attributes.path;
    const isAllowed = allowed.includes("*") || allowed.includes(`${attributes.verb} ${what}`);
    return { decision: isAllowed ? "allow" : "noOpinion", reason: "", errors: [] };
  };
}

function speak(headers: Readonly<Record<string, string>>, authorizer: Authorizer): Subject {
  const request: ApiRequest = {
    method: "GET",
    path: "/",
    query: new URLSearchParams(),
    user: bob,
    signal: new AbortController().signal,
    header: (name) => headers[name],
    headersUnder: (prefix) => Object.entries(headers).filter(([name]) => name.startsWith(prefix)),
    body: () => Promise.resolve(new Uint8Array()),
  };
  return impersonate(request, listPods, authorizer);
}

test("without headers everybody speaks for themselves", () => {
  expect(speak({}, allowing())).toBe(bob);
});

describe("who is spoken for", () => {
  test.each<[Readonly<Record<string, string>>, Partial<Subject>]>([
    [{ "impersonate-user": "zoe" }, { user: "zoe", groups: ["system:authenticated"] }],
    [
      { "impersonate-user": "zoe", "impersonate-group": "a, b", "impersonate-uid": "7" },
      { user: "zoe", groups: ["a", "b", "system:authenticated"], uid: "7" },
    ],
    [
      { "impersonate-user": "system:serviceaccount:n:robot" },
      {
        user: "system:serviceaccount:n:robot",
        groups: ["system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"],
      },
    ],
    [
      { "impersonate-user": "system:serviceaccount:n:robot", "impersonate-group": "a" },
      { user: "system:serviceaccount:n:robot", groups: ["a", "system:authenticated"] },
    ],
    [
      { "impersonate-user": "system:anonymous", "impersonate-group": "a" },
      { user: "system:anonymous", groups: ["a", "system:unauthenticated"] },
    ],
    [
      { "impersonate-user": "zoe", "impersonate-extra-example.com%2fscope": "x,y" },
      {
        user: "zoe",
        groups: ["system:authenticated"],
        extra: new Map([["example.com/scope", ["x", "y"]]]),
      },
    ],
  ])("%j", (headers, subject) => {
    const { user, groups, ...rest } = speak(headers, allowing("*"));
    expect({ user, groups, ...rest }).toEqual(subject);
  });
});

describe("who may", () => {
  const zoe = { "impersonate-user": "zoe" };

  test("the old way allows it for anything", () => {
    expect(speak(zoe, allowing("impersonate users zoe")).user).toBe("zoe");
  });

  test("the constrained way allows it for one thing", () => {
    const person = "impersonate:user-info users zoe";
    expect(speak(zoe, allowing(person, "impersonate-on:user-info:list pods ")).user).toBe("zoe");
    expect(() => speak(zoe, allowing(person))).toThrow(
      'pods is forbidden: User "bob" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "n"',
    );
  });

  test("every group needs a permission of its own, and masters cannot be reached by the constrained way", () => {
    const headers = { ...zoe, "impersonate-group": "system:masters" };
    const on = "impersonate-on:user-info:list pods ";
    const constrained = allowing(on, "impersonate:user-info users zoe", "impersonate:user-info groups system:masters");
    expect(() => speak(headers, constrained)).toThrow("impersonating the system:masters group is not allowed");
    expect(() => speak(headers, allowing("impersonate users zoe"))).toThrow("cannot impersonate-on:user-info:list");
    expect(speak(headers, allowing("impersonate users zoe", "impersonate groups system:masters")).user).toBe("zoe");
  });

  test("nodes and service accounts have ways of their own", () => {
    const account = { "impersonate-user": "system:serviceaccount:n:robot" };
    expect(() => speak(account, allowing())).toThrow("cannot impersonate-on:serviceaccount:list");
    const node = { "impersonate-user": "system:node:n1" };
    const asNode = allowing("impersonate-on:arbitrary-node:list pods ", "impersonate:arbitrary-node nodes n1");
    expect(speak(node, asNode).groups).toEqual(["system:nodes", "system:authenticated"]);
  });
});

test.each([
  [{ "impersonate-group": "g" }, 'UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)'],
  [{ "impersonate-uid": "u" }, 'UID:"u", Groups:[]string(nil), Extra:map[string][]string(nil)'],
  [{ "impersonate-extra-a": "b" }, 'UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"b"}}'],
])("%j without a user is a bad request", (headers, shown) => {
  expect(() => speak(headers, allowing("*"))).toThrow(
    `requested &user.DefaultInfo{Name:"", ${shown}} without impersonating a user name`,
  );
});
