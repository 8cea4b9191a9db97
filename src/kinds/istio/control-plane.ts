// SPDX-License-Identifier: Apache-2.0
import type { RowContent } from "../../model/rows/row.ts";
import { deploymentKind } from "../deployment-kind.ts";
import { fieldOf, listOf, textMapOf, textOf } from "../fields.ts";
import { type ClusterFacts, type Columns, type DerivedKind, type Projected, setColumn } from "../kind.ts";
import { defaultRootNamespace, meshConfigName } from "./mesh-config.ts";

/**
 * Istio's control planes, found by their Deployments in any namespace, one row for each revision (N-21, N-61, KI16).
 * The status is the Deployment's.
 */
export const istioControlPlaneKind: DerivedKind = {
  resource: { group: "mesh.flotilla.dev", resource: "istiocontrolplaneconfigs" },
  kind: "IstioControlPlaneConfig",
  isNamespaced: true,
  from: deploymentKind.resource,
  usesFacts: true,
  columns: [
    { name: "revision", type: "string", isMain: true },
    { name: "version", type: "string", isMain: true },
    { name: "rootNamespace", type: "string", isMain: true },
    { name: "clusterId", type: "string", isMain: true },
    { name: "pilotScopeGatewayToNamespace", type: "boolean" },
  ],
  derive: deriveControlPlane,
};

/**
 * The facts about the mesh from rows of control planes and from mesh configurations by `namespace/name` (KI17, KI21).
 * The rows depend only on the mesh configurations, so facts are stable after one more projection of the rows.
 */
export function meshFacts(
  rows: Iterable<RowContent>,
  meshConfigRoots: ReadonlyMap<string, string> = new Map(),
): ClusterFacts {
  const meshRootNamespaces = new Set<string>();
  for (const { columns } of rows) {
    const root = columns.get("rootNamespace");
    if (typeof root === "string" && root !== "") meshRootNamespaces.add(root);
  }
  return meshConfigRoots.size === 0 ? { meshRootNamespaces } : { meshRootNamespaces, meshConfigRoots };
}

function deriveControlPlane(object: unknown, facts: ClusterFacts): Projected | undefined {
  const labels = labelsOf(object);
  const container = pilotContainer(object);
  if (!isControlPlane(labels, container)) return undefined;
  const env = namedEnv(container);
  const { status, reconcile } = deploymentKind.project(object, facts);
  const columns: Columns = new Map();
  const revision = nonEmpty(labels.get("istio.io/rev")) ?? "default";
  columns.set("revision", revision);
  setColumn(columns, "version", versionOf(container, labels));
  const namespace = textOf(object, "metadata", "namespace") ?? "";
  const configured = configuredRoot(facts, namespace, [
    meshConfigName(revision),
    nonEmpty(env.get("SHARED_MESH_CONFIG")),
  ]);
  setColumn(columns, "rootNamespace", configured ?? nonEmpty(env.get("ROOT_NAMESPACE")) ?? nonEmpty(namespace));
  setColumn(columns, "clusterId", nonEmpty(env.get("CLUSTER_ID")));
  columns.set("pilotScopeGatewayToNamespace", isTrue(env.get("PILOT_SCOPE_GATEWAY_TO_NAMESPACE")));
  return { columns, status, reconcile };
}

/**
 * The root namespace of the first of these mesh configurations that sets one. Istio's default if configurations exist
 * but none sets it; undefined if none exists.
 */
function configuredRoot(
  { meshConfigRoots }: ClusterFacts,
  namespace: string,
  names: readonly (string | undefined)[],
): string | undefined {
  const found = names.flatMap((name) =>
    name === undefined ? [] : (meshConfigRoots?.get(`${namespace}/${name}`) ?? []),
  );
  return found.length === 0 ? undefined : (found.find((root) => root !== "") ?? defaultRootNamespace);
}

/** Labels of the Deployment override those of its Pods. Installers put the revision on either. */
function labelsOf(object: unknown): ReadonlyMap<string, string> {
  return new Map([
    ...textMapOf(object, "spec", "template", "metadata", "labels"),
    ...textMapOf(object, "metadata", "labels"),
  ]);
}

/**
 * Istio's own label is sufficient. The other labels are also used on objects beside the control plane, so they require
 * its container.
 */
function isControlPlane(labels: ReadonlyMap<string, string>, container: unknown): boolean {
  if (labels.get("app") === "istiod") return true;
  const isNamedSo = labels.get("app.kubernetes.io/name") === "istiod" || labels.get("istio") === "pilot";
  return isNamedSo && container !== undefined;
}

/**
 * The container that runs the control plane: named `discovery`, as Istio installs it, else the one with the image
 * `pilot`.
 */
function pilotContainer(object: unknown): unknown {
  const containers = listOf(object, "spec", "template", "spec", "containers");
  return (
    containers.find((each) => textOf(each, "name") === "discovery") ??
    containers.find((each) => imageOf(each).name === "pilot")
  );
}

/** The last part of the image's path, and its tag: `registry:5000/istio/pilot:1.25.4@sha256:…` is pilot, 1.25.4. */
function imageOf(container: unknown): { readonly name: string; readonly tag: string | undefined } {
  const [reference = ""] = (textOf(container, "image") ?? "").split("@");
  const [name = "", tag] = reference.slice(reference.lastIndexOf("/") + 1).split(":");
  return { name, tag: nonEmpty(tag) };
}

/** The image's tag, else the version labels of Istio's charts and operator. */
function versionOf(container: unknown, labels: ReadonlyMap<string, string>): string | undefined {
  return (
    imageOf(container).tag ??
    nonEmpty(labels.get("app.kubernetes.io/version")) ??
    nonEmpty(labels.get("operator.istio.io/version"))
  );
}

/**
 * The only environment variables whose values are ever read, and only of this container. They describe the mesh's
 * layout (KI2).
 */
const envNames: ReadonlySet<string> = new Set([
  "CLUSTER_ID",
  "PILOT_SCOPE_GATEWAY_TO_NAMESPACE",
  "ROOT_NAMESPACE",
  "SHARED_MESH_CONFIG",
]);

function namedEnv(container: unknown): ReadonlyMap<string, string> {
  const env = new Map<string, string>();
  for (const each of listOf(container, "env")) {
    const name = textOf(each, "name");
    if (name === undefined || !envNames.has(name)) continue;
    // A value from a Secret or a Pod field is not in the object. It overrides an earlier variable of the same name.
    const value = fieldOf(each, "value");
    if (typeof value === "string") env.set(name, value);
    else env.delete(name);
  }
  return env;
}

/** The texts that Go's `strconv.ParseBool` accepts as true, as Istio does. */
function isTrue(text: string | undefined): boolean {
  return text !== undefined && ["1", "t", "T", "TRUE", "true", "True"].includes(text);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
