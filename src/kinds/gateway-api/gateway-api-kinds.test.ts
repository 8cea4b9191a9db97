// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { resourceIdText } from "../../model/gvr.ts";
import {
  faultsOf,
  type KindSample,
  reversedKeys,
  rootNamespaces,
  rowOf,
  rowText,
  sealed,
  secretMarker,
} from "../istio/testing/kind-rules.ts";
import { gatewayApiKinds } from "./gateway-api-kinds.ts";
import { gatewayApiKindSamples } from "./testing/samples.ts";

const cases = gatewayApiKindSamples.map((each): [string, KindSample] => [each.kind.kind, each]);

test("every kind is listed once, with a sample", () => {
  const listed = gatewayApiKinds.map((each) => resourceIdText(each.resource));
  expect(new Set(listed).size).toBe(listed.length);
  expect(gatewayApiKindSamples.map(({ kind }) => kind)).toEqual(gatewayApiKinds);
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

  test("[KI17] asks no facts of the cluster", () => {
    expect(rowOf(kind, object, rootNamespaces("shop"))).toEqual(rowOf(kind, object));
  });
});
