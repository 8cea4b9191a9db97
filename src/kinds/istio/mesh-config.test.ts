// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { configMapKind } from "../config-map-kind.ts";
import { secretMarker } from "../testing/kind-sample.ts";
import { rowOf, rowText } from "../testing/sample-rows.ts";
import { meshConfigName, meshConfigRoot } from "./mesh-config.ts";

/** As Istio's chart writes it. */
const mesh = `accessLogFile: /dev/stdout
defaultConfig:
  discoveryAddress: istiod-canary.mesh-sys.svc:15012
  rootNamespace: ${secretMarker}
  tracing:
    lightstep:
      accessToken: ${secretMarker}
# rootNamespace: commented
rootNamespace: mesh-root
trustDomain: cluster.local`;

function configMap(text: unknown, name = "istio"): object {
  return { metadata: { name, namespace: "mesh-sys" }, data: { mesh: text, meshNetworks: secretMarker } };
}

describe("[KI21] the root namespace of a mesh configuration", () => {
  test.each<readonly [string, unknown, string | undefined]>([
    ["as the chart writes it", mesh, "mesh-root"],
    ["in double quotes, with a remark", 'rootNamespace: "a-1" # why', "a-1"],
    ["in single quotes, with lines of Windows", "x: 1\r\nrootNamespace:   'a-1'\r\ny: 2", "a-1"],
    ["as JSON", '{"defaultConfig":{"rootNamespace":"other"},"rootNamespace":"a-1"}', "a-1"],
    ["that is below another key", "defaultConfig:\n  rootNamespace: other", ""],
    ["that is no name of a namespace", `rootNamespace: ${secretMarker}/..`, ""],
    ["that is empty", 'rootNamespace: ""\ntrustDomain: x', ""],
    ["that is not there", "trustDomain: cluster.local", ""],
    ["in broken JSON", '{"rootNamespace":"a-1"', ""],
    ["in JSON that is a list", "{}", ""],
    ["in an empty text", "", ""],
    ["in no text", 7, undefined],
    ["in a text longer than any ConfigMap", `rootNamespace: a-1\n${"#".repeat(1_048_576)}`, undefined],
  ])("%s", (_, text, root) => {
    expect(meshConfigRoot(configMap(text))).toBe(root);
  });

  test.each([
    ["istio", "mesh-root"],
    ["istio-canary", "mesh-root"],
    ["istios", undefined],
    ["web", undefined],
  ])("is read of a ConfigMap called %s: %s", (name, root) => {
    expect(meshConfigRoot(configMap(mesh, name))).toBe(root);
  });

  test.each([
    [undefined],
    [null],
    [{}],
    [{ metadata: { name: "istio" } }],
    [{ metadata: { name: "istio" }, data: [] }],
  ])("[KI3] an object of another shape tells none (%j)", (object) => {
    expect(meshConfigRoot(object)).toBeUndefined();
  });
});

test("[KI2] the row of the ConfigMap itself has the names of its keys alone", () => {
  const row = rowOf(configMapKind, configMap(mesh));
  expect(row.columns.get("keys")).toEqual(["mesh", "meshNetworks"]);
  expect(rowText(row)).not.toMatch(/mesh-root|s3cr3t/);
});

test.each([
  ["default", "istio"],
  ["", "istio"],
  ["canary", "istio-canary"],
])("[KI21] a control plane of revision %j reads the ConfigMap %s", (revision, name) => {
  expect(meshConfigName(revision)).toBe(name);
});
