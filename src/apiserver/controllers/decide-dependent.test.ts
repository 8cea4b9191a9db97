// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type DependentState, decideDependent, type OwnerState } from "./decide-dependent.ts";

const nothing: DependentState = { hasDependents: false, propagation: undefined };
const parent: DependentState = { hasDependents: true, propagation: undefined };
const background = { kind: "delete", propagation: "Background" } as const;
const keep = { kind: "keep" } as const;

test.each([
  [[], nothing, keep],
  [["present"], nothing, keep],
  [["present", "present"], nothing, keep],
  [["present", "absent"], nothing, { kind: "release", uids: new Set(["1"]) }],
  [["waiting", "present", "absent"], parent, { kind: "release", uids: new Set(["0", "2"]) }],
  [["absent"], nothing, background],
  [["absent", "absent"], parent, background],
  [["absent"], { ...nothing, propagation: "Orphan" }, { kind: "delete", propagation: "Orphan" }],
  [["waiting"], nothing, background],
  [["waiting"], { ...nothing, propagation: "Foreground" }, { kind: "delete", propagation: "Foreground" }],
  [["waiting", "absent"], parent, { kind: "delete", propagation: "Foreground" }],
  [["unserved"], nothing, { kind: "unknown" }],
  [["present", "unserved", "absent"], nothing, { kind: "unknown" }],
  [["misplaced"], nothing, keep],
  [["misplaced", "absent", "unserved"], nothing, keep],
] as const)("with owners %j and %j the verdict is %j", (states, dependent, verdict) => {
  const owners = states.map((state: OwnerState, index) => ({
    reference: { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: String(index), isBlocking: false },
    state,
  }));
  expect(decideDependent(owners, dependent)).toEqual(verdict);
});
