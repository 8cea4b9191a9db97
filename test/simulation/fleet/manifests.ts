// SPDX-License-Identifier: Apache-2.0
import type { SeededRandom } from "../../../src/base/random.ts";

const group = "rbac.authorization.k8s.io";

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
      return { rules: [{ apiGroups: [""], resources: [`resource-${number}`], verbs: ["get"] }] };
    case "RoleBinding":
    case "ClusterRoleBinding":
      return {
        roleRef: { apiGroup: group, kind: "ClusterRole", name: `clusterrole-${number % 4}` },
        subjects: [{ kind: "User", apiGroup: group, name: `user-${number}` }],
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
