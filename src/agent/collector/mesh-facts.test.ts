// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { configMapKind } from "../../kinds/config-map-kind.ts";
import { deploymentKind } from "../../kinds/deployment-kind.ts";
import { istioControlPlaneKind } from "../../kinds/istio/control-plane.ts";
import { peerAuthenticationKind } from "../../kinds/istio/peer-authentication-kind.ts";
import { CollectorRig } from "./testing/collector-rig.ts";

const configMaps = { group: "", version: "v1", resource: "configmaps" };
const deployments = { group: "apps", version: "v1", resource: "deployments" };
const policies = { group: "security.istio.io", version: "v1", resource: "peerauthentications" };

describe("a mesh whose configuration names its root", () => {
  const istiod = {
    metadata: { name: "istiod", namespace: "mesh-sys", labels: { app: "istiod" } },
    spec: { template: { spec: { containers: [{ name: "discovery", image: "istio/pilot:1.24.1" }] } } },
  };
  const meshConfig = (root: string) => ({
    metadata: { name: "istio", namespace: "mesh-sys" },
    data: { mesh: `trustDomain: x\nrootNamespace: ${root}` },
  });

  test("[N-21][N-62][KI21] has it in its control plane's row and in its policies' scope, again when it changes", async () => {
    const kinds = [deploymentKind, peerAuthenticationKind, configMapKind];
    await using rig = new CollectorRig({ kinds, derivedKinds: [istioControlPlaneKind] });
    for (const namespace of ["mesh-sys", "root-a", "root-b"])
      rig.server.put(policies, { metadata: { name: "default", namespace } });
    rig.server.put(deployments, istiod);
    rig.server.put(configMaps, meshConfig("root-a"));
    const roots = () => rig.rowsOf(istioControlPlaneKind).map(({ columns }) => columns.get("rootNamespace"));
    const meshWide = () =>
      rig
        .rowsOf(peerAuthenticationKind)
        .flatMap(({ namespace, columns }) => (columns.get("scope") === "mesh" ? [namespace] : []));
    await rig.clock.advance(5_000);
    expect([roots(), meshWide()]).toEqual([["root-a"], ["root-a"]]);
    rig.server.put(configMaps, meshConfig("root-b"));
    await rig.clock.advance(5_000);
    expect([roots(), meshWide()]).toEqual([["root-b"], ["root-b"]]);
    expect(JSON.stringify(rig.rowsOf(configMapKind).map(({ columns }) => [...columns]))).not.toContain("root-b");
    rig.server.delete(configMaps, "mesh-sys", "istio");
    await rig.clock.advance(5_000);
    expect([roots(), meshWide()]).toEqual([["mesh-sys"], ["mesh-sys"]]);
  });
});
