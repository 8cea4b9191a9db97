// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { anonymousSubject, createSubject } from "../model/subject.ts";
import { matchingSubject, subjectMatches } from "./subject-match.ts";
import { clusterRoleBinding, roleBinding, subject } from "./testing/rbac-objects.ts";

const alice = { user: "alice", groups: ["dev", "ops"] };
const robot = { user: "system:serviceaccount:ci:robot", groups: [] };

describe("subjects of a RoleBinding in the namespace ci", () => {
  test.each([
    ["[RB7] a user by its exact name", "User:alice", alice, true],
    ["[RB7] another user", "User:alic", alice, false],
    ["[RB7] a name in other case", "User:Alice", alice, false],
    ["[RB7] a star is no wildcard for users", "User:*", alice, false],
    ["[RB8] one of the groups", "Group:ops", alice, true],
    ["[RB8] a group the user is not in", "Group:alice", alice, false],
    ["[RB8] a star is no wildcard for groups", "Group:*", alice, false],
    ["[RB9] a service account with its namespace", "ServiceAccount:ci/robot", robot, true],
    ["[RB9] a service account of the binding's namespace", "ServiceAccount:robot", robot, true],
    ["[RB9] the same name in another namespace", "ServiceAccount:prod/robot", robot, false],
    ["[RB9] a user who has the account's name only", "ServiceAccount:ci/alice", alice, false],
    ["[RB10] a kind nobody knows", "Robot:alice", alice, false],
    ["[RB10] a kind in other case", "user:alice", alice, false],
    ["[RB11] a namespace on a user", "User:prod/alice", alice, true],
    ["[RB11] a namespace on a group", "Group:prod/dev", alice, true],
    ["[RB12] a user subject that spells out a service account", "User:system:serviceaccount:ci:robot", robot, true],
    ["[RB12] a group subject that spells out a service account", "Group:system:serviceaccount:ci:robot", robot, false],
  ])("%s: %s", (_rule, text, user, matches) => {
    expect(subjectMatches(subject(text), user, "ci")).toBe(matches);
  });
});

test("[RB9] a service account without namespace in a ClusterRoleBinding matches nobody", () => {
  const binding = clusterRoleBinding("b", "ClusterRole/r", "ServiceAccount:robot");
  expect(matchingSubject(binding, robot)).toBeUndefined();
  expect(matchingSubject(binding, { user: "system:serviceaccount::robot", groups: [] })).toBeUndefined();
});

test("[RB14] the first matching subject is the one reported", () => {
  const binding = roleBinding("ci", "b", "Role/r", "User:bob", "Group:ops", "User:alice", "Group:dev");
  expect(matchingSubject(binding, alice)).toEqual({ kind: "Group", name: "ops", namespace: "" });
});

describe("[RB13] implied groups reach the subjects of bindings", () => {
  test.each([
    ["User", createSubject({ user: "alice" }), ["system:authenticated"]],
    ["service account", createSubject(robot), ["system:serviceaccounts", "system:serviceaccounts:ci"]],
    ["service account", createSubject(robot), ["system:authenticated"]],
    ["anonymous", anonymousSubject, ["system:unauthenticated"]],
  ])("%s is in its groups", (_who, user, groups) => {
    for (const group of groups) expect(subjectMatches(subject(`Group:${group}`), user, "")).toBe(true);
  });

  test.each([
    ["anonymous is not authenticated", anonymousSubject, "system:authenticated"],
    ["nor does its name make it so", createSubject({ user: "system:anonymous" }), "system:authenticated"],
    [
      "who is unauthenticated stays so",
      createSubject({ user: "x", groups: ["system:unauthenticated"] }),
      "system:authenticated",
    ],
    ["a user is no service account", createSubject({ user: "alice" }), "system:serviceaccounts"],
    [
      "another namespace's accounts",
      createSubject({ user: "system:serviceaccount:ci:robot" }),
      "system:serviceaccounts:prod",
    ],
  ])("%s", (_why, user, group) => {
    expect(subjectMatches(subject(`Group:${group}`), user, "")).toBe(false);
  });
});
