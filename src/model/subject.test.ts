// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { anonymousSubject, createSubject, parseServiceAccountUser, serviceAccountUser } from "./subject.ts";

test("[CO56] whoever has authenticated is in system:authenticated, once", () => {
  expect(createSubject({ user: "alice", groups: ["dev", "dev"] }).groups).toEqual(["dev", "system:authenticated"]);
  expect(createSubject({ user: "alice", groups: ["system:authenticated"] }).groups).toEqual(["system:authenticated"]);
});

test("[CO56] a subject marked unauthenticated does not become authenticated", () => {
  expect(createSubject({ user: "x", groups: ["system:unauthenticated"] }).groups).toEqual(["system:unauthenticated"]);
});

test("[CO56] extra values are kept", () => {
  const extra = new Map([["scopes", ["a", "b"]]]);
  expect(createSubject({ user: "alice", extra }).extra).toBe(extra);
});

test("[CO57] a service account is in the groups of all service accounts and of its namespace", () => {
  expect(createSubject({ user: "system:serviceaccount:kube-system:default" }).groups).toEqual([
    "system:serviceaccounts",
    "system:serviceaccounts:kube-system",
    "system:authenticated",
  ]);
  expect(parseServiceAccountUser(serviceAccountUser("ns", "builder"))).toEqual({ namespace: "ns", name: "builder" });
});

test.each([
  "system:serviceaccount:ns",
  "system:serviceaccount:ns:a:b",
  "system:serviceaccount::a",
  "system:serviceaccount:ns:",
  "system:serviceaccount:Ns:a",
  "system:serviceaccount:ns:A_b",
  "System:serviceaccount:ns:a",
])("[CO57] %s is a user like any other", (user) => {
  expect(createSubject({ user }).groups).toEqual(["system:authenticated"]);
});

test("[CO58] nobody becomes authenticated under the anonymous name", () => {
  expect(createSubject({ user: "system:anonymous", groups: ["system:masters"] })).toBe(anonymousSubject);
  expect(anonymousSubject.groups).toEqual(["system:unauthenticated"]);
});
