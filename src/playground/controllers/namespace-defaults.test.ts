// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { valueAt } from "../../apiserver/json/json-fields.ts";
import { PlaygroundRig } from "./testing/playground-rig.ts";

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open({ nodeCount: 0 });
});
afterEach(() => rig.close());

test("[AP23] the ConfigMap kube-root-ca.crt is restored after an edit and after a deletion", async () => {
  const data = (): unknown => valueAt(rig.get("configmaps", "kube-root-ca.crt") ?? {}, "data");
  const original = data();
  expect(original).toHaveProperty(["ca.crt"]);
  await rig.change("configmaps", "kube-root-ca.crt", (draft) => {
    draft["data"] = { "ca.crt": "", more: "x" };
  });
  expect(data()).toEqual(original);
  await rig.client.delete({ resource: "configmaps", namespace: "shop", name: "kube-root-ca.crt" });
  await rig.quiet();
  expect(data()).toEqual(original);
});
