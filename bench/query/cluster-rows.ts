// SPDX-License-Identifier: Apache-2.0
import { configMapKind } from "../../src/kinds/config-map-kind.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import { namespaceKind } from "../../src/kinds/namespace-kind.ts";
import { nodeKind } from "../../src/kinds/node-kind.ts";
import { clusterRoleBindingKind, roleBindingKind } from "../../src/kinds/rbac-binding-kinds.ts";
import { clusterRoleKind } from "../../src/kinds/rbac-role-kinds.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import type { RowBatchContent } from "../../src/model/row-batch/encode.ts";
import type { Hasher } from "../../src/model/rows/hasher.ts";
import type { ColumnValue, RowContent } from "../../src/model/rows/row.ts";
import { RowSealer } from "../../src/model/rows/row-sealer.ts";
import { hubGroups } from "../../src/rbac/hub-roles.ts";
import { rbacApiGroup } from "../../src/rbac/rbac-types.ts";
import { type AddRow, addApp, createApp } from "./app-rows.ts";
import { benchUser, type FleetShape, type ShapedCluster, teamOf } from "./fleet-shape.ts";
import { RowSource } from "./row-source.ts";

const nodeCount = 40;
const readRole = "fleet-reader";

/** All rows of a cluster, a batch for each kind. The same rows at every call; clusters differ from each other. */
export function createClusterRows(
  shape: FleetShape,
  cluster: ShapedCluster,
  hasher: Hasher,
): readonly RowBatchContent[] {
  const byKind = new Map<Kind, RowContent[]>();
  let rowCount = 0;
  const add: AddRow = (kind, row) => {
    rowCount += 1;
    const rows = byKind.get(kind) ?? [];
    rows.push(row);
    byKind.set(kind, rows);
  };
  const source = new RowSource(cluster.name);
  addGrants(source, cluster, add);
  addNodes(source, cluster, add);
  for (const [number, namespace] of shape.namespaces.entries()) addNamespace(source, namespace, number, add);
  const appCounts = new Map<string, number>();
  while (rowCount < shape.rowsPerCluster) {
    // Squared: a tenth of the namespaces has a third of the apps.
    const number = Math.floor((source.int(1_000_000) / 1_000_000) ** 2 * shape.namespaces.length);
    const namespace = shape.namespaces[number] ?? "";
    const app = createApp(source, { namespace, team: teamOf(number), environment: cluster.environment });
    const known = appCounts.get(`${namespace}/${app.name}`) ?? 0;
    appCounts.set(`${namespace}/${app.name}`, known + 1);
    addApp(source, known === 0 ? app : { ...app, name: `${app.name}-${known + 1}` }, add);
  }
  return Array.from(byKind, ([{ resource, kind, columns }, contents]) => {
    const sealer = new RowSealer(parseClusterId(cluster.name), resource, hasher);
    const specs = columns.map(({ name, type }) => ({ name, type }));
    return { resource, kind, columns: specs, rows: contents.map((content) => sealer.seal(content)), deletes: [] };
  });
}

/**
 * One role that reads everything. It is bound to the user, for the whole cluster or in single namespaces, and to the
 * administrators of the hub.
 */
function addGrants(source: RowSource, { isWhole, seenNamespaces }: ShapedCluster, add: AddRow): void {
  const readEverything = { verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] };
  add(clusterRoleKind, {
    ...source.row("", readRole),
    columns: new Map<string, ColumnValue>([["rules", [JSON.stringify(readEverything)]]]),
  });
  const columns = bindingColumns(readRole, "User", benchUser.user);
  if (isWhole) add(clusterRoleBindingKind, { ...source.row("", readRole), columns });
  for (const namespace of seenNamespaces) add(roleBindingKind, { ...source.row(namespace, readRole), columns });
  const ofAdmins = bindingColumns(readRole, "Group", hubGroups.admins);
  add(clusterRoleBindingKind, { ...source.row("", "hub-admins"), columns: ofAdmins });
}

function bindingColumns(role: string, kind: "User" | "Group", name: string): ReadonlyMap<string, ColumnValue> {
  return new Map<string, ColumnValue>([
    ["roleGroup", rbacApiGroup],
    ["roleKind", "ClusterRole"],
    ["roleName", role],
    ["subjects", [JSON.stringify({ kind, apiGroup: rbacApiGroup, name })]],
  ]);
}

function addNodes(source: RowSource, { environment, region }: ShapedCluster, add: AddRow): void {
  for (let at = 0; at < nodeCount; at += 1) {
    const isDown = source.chance(0.03);
    const down = {
      status: "unhealthy",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    } as const;
    add(nodeKind, {
      ...source.row("", `ip-10-0-${Math.floor(at / 10)}-${at % 10}.ec2.internal`),
      ...(isDown ? down : { reason: "KubeletReady", message: "kubelet is posting ready status" }),
      labels: new Map([
        ["env", environment],
        ["topology.kubernetes.io/region", region],
        ["topology.kubernetes.io/zone", `${region}${"abc"[at % 3]}`],
      ]),
      columns: new Map<string, ColumnValue>([
        ["roles", at < 3 ? ["control-plane"] : ["worker"]],
        ["kubeletVersion", `v1.${31 + (at % 3)}.${source.int(6)}`],
        ["runtimeVersion", "containerd://2.0.1"],
        ["osImage", "Ubuntu 24.04.1 LTS"],
        ["os", "linux"],
        ["architecture", at % 4 === 0 ? "arm64" : "amd64"],
        ["cpuCapacity", source.pick(["8", "16", "32"])],
        ["memoryCapacity", source.pick(["32Gi", "64Gi", "128Gi"])],
        ["podsCapacity", "110"],
        ["unschedulable", false],
      ]),
    });
  }
}

/** The Namespace, the ConfigMap that Kubernetes puts into it, and in every fourth the binding of its team. */
function addNamespace(source: RowSource, namespace: string, number: number, add: AddRow): void {
  const labels = new Map([
    ["kubernetes.io/metadata.name", namespace],
    ["team", teamOf(number)],
  ]);
  add(namespaceKind, { ...source.row("", namespace), labels, columns: new Map([["phase", "Active"]]) });
  add(configMapKind, {
    ...source.row(namespace, "kube-root-ca.crt"),
    columns: new Map<string, ColumnValue>([
      ["keys", ["ca.crt"]],
      ["keyCount", 1],
    ]),
  });
  if (number % 4 !== 0) return;
  add(roleBindingKind, {
    ...source.row(namespace, "team-edit"),
    labels,
    columns: bindingColumns("edit", "Group", `team-${teamOf(number)}`),
  });
}
