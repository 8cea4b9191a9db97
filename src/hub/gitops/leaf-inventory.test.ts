// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { KubeError } from "../../kube/kube-error.ts";
import type { ReflectorEvent } from "../../kube/reflector-event.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { LeafInventory } from "./leaf-inventory.ts";

const listing: ReflectorEvent = { kind: "listing" };
const listed: ReflectorEvent = { kind: "listed", objectCount: 0, byteCount: 0 };
const skipped: ReflectorEvent = { kind: "skipped", error: new KubeError("malformed", "it is too large") };

function event(kind: "object" | "deleted", name: string): ReflectorEvent {
  return { kind, object: {}, identity: { namespace: "fleet", name, uid: `uid-${name}`, resourceVersion: "1" } };
}

function namesOf(inventory: LeafInventory, ...names: readonly string[]): readonly string[] {
  return names.filter((name) => inventory.leavesOf(parseClusterId(`fleet-${name}`)).length > 0);
}

test("[L4, IN28] absence counts after a complete list, and not during one", () => {
  const inventory = new LeafInventory([undefined]);
  expect(inventory.isListed("fleet")).toBe(false);
  for (const each of [listing, event("object", "a"), event("object", "b"), listed]) inventory.take(undefined, each);
  expect(inventory.isListed("fleet")).toBe(true);
  expect([...inventory.take(undefined, event("deleted", "a"))]).toEqual(["fleet-a"]);
  for (const each of [listing, event("object", "c")]) inventory.take(undefined, each);
  expect(namesOf(inventory, "a", "b", "c")).toEqual(["b", "c"]);
  expect([...inventory.take(undefined, listed)].sort()).toEqual(["fleet-b", "fleet-c"]);
  expect(namesOf(inventory, "a", "b", "c")).toEqual(["c"]);
});

test("[L4, IN28] a list with an object that could not be read proves no absence; the next complete one does", () => {
  const inventory = new LeafInventory([undefined]);
  for (const each of [listing, event("object", "a"), listed]) inventory.take(undefined, each);
  for (const each of [listing, skipped, listed]) inventory.take(undefined, each);
  expect([inventory.isListed("fleet"), namesOf(inventory, "a")]).toEqual([false, ["a"]]);
  for (const each of [listing, listed]) inventory.take(undefined, each);
  expect([inventory.isListed("fleet"), namesOf(inventory, "a")]).toEqual([true, []]);
});

test("[IN30] more objects than are kept make no absence", () => {
  const inventory = new LeafInventory([undefined]);
  inventory.take(undefined, listing);
  for (let at = 0; at <= 5_000; at += 1) inventory.take(undefined, event("object", `n${at}`));
  inventory.take(undefined, listed);
  expect([inventory.isListed("fleet"), namesOf(inventory, "n0", "n4999", "n5000")]).toEqual([false, ["n0", "n4999"]]);
});

test("[IN25] each followed namespace is listed by itself, and no other is", () => {
  const inventory = new LeafInventory(["fleet", "edge"]);
  for (const each of [listing, event("object", "a"), listed]) inventory.take("fleet", each);
  expect(["fleet", "edge", "other"].map((namespace) => inventory.isListed(namespace))).toEqual([true, false, false]);
});
