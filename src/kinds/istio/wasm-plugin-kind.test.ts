// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { secretMarker } from "../testing/kind-sample.ts";
import { columnsOf, rowOf, rowText } from "../testing/sample-rows.ts";
import { istioSamples } from "./testing/samples.ts";
import { wasmPluginKind as kind } from "./wasm-plugin-kind.ts";

test("[N-20] a WasmPlugin's row has selector, url, phase and priority, and none of its configuration [L18]", () => {
  const row = rowOf(kind, istioSamples.wasmPlugin);
  expect(columnsOf(kind, row)).toEqual({
    scope: "workload",
    selector: ["app=web"],
    url: "oci://registry.example:5000/wasm/auth:1.0",
    sha256: "1ef0c9a92b0420cf25f7fe5d481b231464bc88f486ca3b9c83ed5cc21d2f6210",
    phase: "AUTHN",
    priority: 10,
    pluginName: "auth",
    failStrategy: "FAIL_OPEN",
  });
  expect(rowText(row)).not.toContain(secretMarker);
});
