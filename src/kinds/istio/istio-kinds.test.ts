// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { resourceIdText } from "../../model/gvr.ts";
import { istioDerivedKinds, istioKinds } from "./istio-kinds.ts";
import {
  faultsOf,
  type KindSample,
  reversedKeys,
  rootNamespaces,
  rowOf,
  rowText,
  sealed,
  secretMarker,
} from "./testing/kind-rules.ts";
import { istioKindSamples } from "./testing/samples.ts";

const cases = istioKindSamples.map((each): [string, KindSample] => [each.kind.kind, each]);

test("every kind is listed once, with a sample", () => {
  const listed = [...istioKinds, ...istioDerivedKinds].map((each) => resourceIdText(each.resource));
  expect(new Set(listed).size).toBe(listed.length);
  expect(istioKindSamples.map(({ kind }) => kind)).toEqual(istioKinds);
});

describe.each(cases)("the row of a full %s", (_name, { kind, object }) => {
  test("[KI1] has the declared columns and no secret of the object [L18]", () => {
    const row = rowOf(kind, object);
    expect(faultsOf(kind, row)).toEqual([]);
    expect(JSON.stringify(object)).toContain(secretMarker);
    expect(rowText(row)).not.toContain(secretMarker);
  });

  test("[KI7] is the same, hash included, when the object's keys come in another order", () => {
    const row = sealed(kind, rowOf(kind, object));
    expect(sealed(kind, rowOf(kind, reversedKeys(object)))).toEqual(row);
  });

  test("[KI17] depends on the mesh's root namespace only where the kind says so [N-62]", () => {
    const bare = { metadata: object.metadata };
    const [without, within] = [rowOf(kind, bare), rowOf(kind, bare, rootNamespaces("shop", "mesh-sys"))];
    expect(without.columns.get("scope")).toBe(kind.usesFacts === true ? "namespace" : undefined);
    expect(within.columns.get("scope")).toBe(kind.usesFacts === true ? "mesh" : undefined);
    if (kind.usesFacts !== true) expect(within).toEqual(without);
    const narrowed = rowOf(kind, object, rootNamespaces("shop"));
    expect(narrowed.columns.get("scope")).toBe(kind.usesFacts === true ? "workload" : undefined);
  });

  test("[KI11] is healthy as soon as the object exists", () => {
    expect(rowOf(kind, { metadata: object.metadata }).status).toBe("healthy");
  });
});
