// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { identityOf } from "../../../kinds/object-identity.ts";
import { KubeError } from "../../kube-error.ts";
import type { ReflectorEvent } from "../../reflector-event.ts";
import { ListedNamespaces } from "./listed-namespaces.ts";

function namespaceEvent(kind: "object" | "deleted", name: string): ReflectorEvent {
  const object = { metadata: { name } };
  return { kind, object, identity: identityOf(object) };
}

function listOf(...names: readonly string[]): ReflectorEvent[] {
  const objects = names.map((name) => namespaceEvent("object", name));
  return [{ kind: "listing" }, ...objects, { kind: "listed", objectCount: names.length, byteCount: 0 }];
}

test("[KU19][L4] names are known once a list is complete, and one leaves by its deletion or a complete list without it", () => {
  const namespaces = new ListedNamespaces();
  const take = (...events: readonly ReflectorEvent[]): string[] | undefined => {
    for (const event of events) namespaces.take(event);
    return namespaces.names === undefined ? undefined : [...namespaces.names].sort();
  };
  expect(take(...listOf("a", "b", "c").slice(0, -1))).toBeUndefined();
  expect(take(...listOf("a", "b", "c"))).toEqual(["a", "b", "c"]);
  expect(take(namespaceEvent("deleted", "a"))).toEqual(["b", "c"]);
  expect(take(...listOf("c").slice(0, -1))).toEqual(["b", "c"]);
  expect(take(...listOf("c", "d"))).toEqual(["c", "d"]);
});

test("[KU19] a refusal is known until a list is complete; other failures are none", () => {
  const namespaces = new ListedNamespaces();
  const fail = (fault: "forbidden" | "tcp"): void =>
    namespaces.take({ kind: "failed", error: new KubeError(fault, "no"), attemptCount: 1, retryInMs: 1 });
  fail("tcp");
  expect(namespaces.refusal).toBeUndefined();
  fail("forbidden");
  expect(namespaces.refusal).toMatchObject({ fault: "forbidden" });
  for (const event of listOf("a")) namespaces.take(event);
  expect(namespaces.refusal).toBeUndefined();
});

test("a listener is called at each change until it unsubscribes", () => {
  const namespaces = new ListedNamespaces();
  let callCount = 0;
  const stop = namespaces.onChange(() => {
    callCount += 1;
  });
  namespaces.take({ kind: "listing" });
  stop();
  namespaces.take({ kind: "listing" });
  expect(callCount).toBe(1);
});
