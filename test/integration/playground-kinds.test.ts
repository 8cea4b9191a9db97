// SPDX-License-Identifier: Apache-2.0
// Every Istio, Flux and Argo CD object of a living playground cluster, through its kind to a sealed row.
import { afterAll, beforeAll, expect, test } from "vitest";
import { argoKinds } from "../../src/kinds/argo/argo-kinds.ts";
import { fluxKinds } from "../../src/kinds/flux/flux-kinds.ts";
import { istioControlPlaneKind, meshFacts } from "../../src/kinds/istio/control-plane.ts";
import { istioKinds } from "../../src/kinds/istio/istio-kinds.ts";
import { deriveRow, projectRow } from "../../src/kinds/project-row.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { parseResourceId, resourceIdText } from "../../src/model/gvr.ts";
import { createHasher } from "../../src/model/rows/hasher.ts";
import type { Row } from "../../src/model/rows/row.ts";
import { RowSealer } from "../../src/model/rows/row-sealer.ts";
import { PlaygroundRig } from "../../src/playground/controllers/testing/playground-rig.ts";
import { addTrouble, healTrouble } from "../../src/playground/controllers/trouble.ts";
import { applyScenario } from "../../src/playground/scenario/apply-scenario.ts";
import { buildCustomObjects } from "../../src/playground/scenario/build-scenario.ts";

const options = { clusterName: "eu-1", region: "eu", seed: "7" };
const kinds = new Map([...istioKinds, ...fluxKinds, ...argoKinds].map((kind) => [resourceIdText(kind.resource), kind]));
const hasher = await createHasher();

let rig: PlaygroundRig;
beforeAll(async () => {
  rig = await PlaygroundRig.open({ nodeCount: 0 });
  await applyScenario(rig.client, options);
  await rig.pass(40);
});
afterAll(() => rig.close());

const observation = { facts: meshFacts([]), terminatingForMs: 0 };

function rowsOf(resource: string): readonly Row[] {
  const kind = kinds.get(resource);
  if (kind === undefined) throw new Error(`no kind reads ${resource}`);
  const sealer = new RowSealer(parseClusterId("eu-1"), parseResourceId(resource), hasher);
  return rig.client.objects.list(resource).map((each) => sealer.seal(projectRow(kind, each, observation)));
}

const resources = [...new Set(buildCustomObjects(options).map(({ resource }) => resource))];

test.each(resources)("[KI1] every object of %s has a row that tells something of it and is healthy", (resource) => {
  const rows = rowsOf(resource);
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    expect([row.name, row.status]).toEqual([row.name, "healthy"]);
    expect(row.columns.size).toBeGreaterThan(1);
  }
});

test("[N-61] the playground's control plane is found, and its namespace is the mesh's root", () => {
  const rows = rig.client.objects
    .list("apps/deployments")
    .flatMap((each) => deriveRow(istioControlPlaneKind, each, observation) ?? []);
  expect(rows.map((row) => [row.namespace, row.name, row.status])).toEqual([["istio-system", "istiod", "healthy"]]);
  expect(rows[0]?.columns.get("version")).toMatch(/^\d+\.\d+\.\d+$/);
  expect(meshFacts(rows)).toEqual({ meshRootNamespaces: new Set(["istio-system"]) });
});

test.each([
  ["failing-kustomization", "kustomize.toolkit.fluxcd.io/kustomizations", "BuildFailed"],
  ["bad-virtual-service", "networking.istio.io/virtualservices", "ReferencedResourceNotFound"],
] as const)("[KI9] %s is one unhealthy row of %s, until it is healed", async (trouble, resource, reason) => {
  const troubled = (): readonly string[] =>
    rowsOf(resource).flatMap((row) => (row.status === "healthy" ? [] : [`${row.status} ${row.reason}`]));
  await addTrouble(rig.client, trouble);
  await rig.pass(2);
  expect(troubled()).toEqual([`unhealthy ${reason}`]);
  await healTrouble(rig.client, trouble);
  await rig.pass(20);
  expect(troubled()).toEqual([]);
});

test("[KI12] a suspended Kustomization is suspended, although Flux no longer looks at its generation", async () => {
  const resource = "kustomize.toolkit.fluxcd.io/kustomizations";
  const ref = { resource, namespace: "flux-system", name: "shop" };
  await rig.client.update(ref, (draft) => Object.assign(draft["spec"] ?? {}, { suspend: true }));
  await rig.pass(2);
  expect(rowsOf(resource).map((row) => [row.name, row.status])).toEqual([
    ["infrastructure", "healthy"],
    ["shop", "suspended"],
  ]);
});
