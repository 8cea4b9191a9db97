// SPDX-License-Identifier: Apache-2.0
import type { SeededRandom } from "../../../src/base/random.ts";

const group = "rbac.authorization.k8s.io";

/** What roles of this world grant; the last one nothing that there is. */
const grantedResources = [["pods"], ["services", "configmaps"], ["*"], ["pods", "widgets"], ["roles"], ["nothing"]];
const grantedVerbs = [["get", "list", "watch"], ["get", "list", "watch"], ["list"], ["get"]];

/** Rules whose parts follow from the digits of a number. */
function rulesOf(number: number): readonly unknown[] {
  const names = number % 5 === 0 ? { resourceNames: ["pod-1", "service-2"] } : {};
  const resources = grantedResources[number % grantedResources.length];
  return [
    { apiGroups: ["*"], resources, verbs: grantedVerbs[Math.floor(number / 10) % grantedVerbs.length], ...names },
  ];
}

/** A user of this world, or the group of some of them. */
function subjectOf(number: number): unknown {
  const isGroup = Math.floor(number / 100) % 2 === 0;
  const name = isGroup ? "team" : `user-${Math.floor(number / 10) % 3}`;
  return { kind: isGroup ? "Group" : "User", apiGroup: group, name };
}

/** The body of an object of that kind beside its metadata, drawn so that its row differs from the one before. */
export function drawManifest(kind: string, random: SeededRandom): Readonly<Record<string, unknown>> {
  const number = random.int(1_000);
  switch (kind) {
    case "Pod":
      return {
        spec: { nodeName: `node-${number % 3}`, containers: [{ name: "main", image: `web:${number}` }] },
        status: { phase: number % 2 === 0 ? "Running" : "Pending" },
      };
    case "Service":
      return { spec: { type: "ClusterIP", clusterIP: `10.0.0.${number % 250}`, ports: [{ port: number + 1 }] } };
    case "ConfigMap":
      return { data: { [`key-${number}`]: "value" } };
    case "Role":
    case "ClusterRole":
      return { rules: rulesOf(number) };
    case "RoleBinding":
    case "ClusterRoleBinding":
      return {
        roleRef: { apiGroup: group, kind: "ClusterRole", name: `clusterrole-${number % 4}` },
        subjects: [subjectOf(number)],
      };
    case "Widget":
      return {
        spec: { size: number },
        status: {
          conditions: [{ type: "Ready", status: number % 2 === 0 ? "True" : "False", reason: `Drawn${number}` }],
        },
      };
    default:
      return { spec: { gatewayClassName: `class-${number}` } };
  }
}
