// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { type CoreCase, type CoreUpdate, objectCase, podCase } from "./core-case.ts";

function update({ resource, body }: CoreCase, name: string, patch: JsonObject): CoreUpdate {
  return { name: `${resource}: ${name}`, resource, body, patch };
}

const pod = podCase("", { terminationGracePeriodSeconds: 5 });
const container = { name: "app", image: "nginx:1.27" };
const service = objectCase("services", "", { spec: { ports: [{ port: 80 }], selector: { a: "b" } } });
const open = objectCase("services", "", { spec: { type: "NodePort", ports: [{ port: 80 }] } });
const headless = objectCase("services", "", { spec: { clusterIP: "None", ports: [{ port: 80 }] } });
const external = objectCase("services", "", { spec: { type: "ExternalName", externalName: "a.b" } });
const claim = objectCase("persistentvolumeclaims", "", {
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});
const volume = objectCase("persistentvolumes", "", {
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
});
const node = objectCase("nodes", "", { spec: { providerID: "a", podCIDR: "10.1.0.0/24" } }, { name: "sample-node" });

/** Changes that are allowed, that the server undoes, and that it refuses. */
export const updateCases: readonly CoreUpdate[] = [
  update(pod, "status is not changed", { status: { phase: "Running" } }),
  update(pod, "another image", { spec: { containers: [{ ...container, image: "nginx:1.28" }] } }),
  update(pod, "no image", { spec: { containers: [{ ...container, image: "" }] } }),
  update(pod, "one more container", { spec: { containers: [container, { name: "b", image: "b" }] } }),
  update(pod, "another command", { spec: { containers: [{ ...container, command: ["x"] }] } }),
  update(pod, "a deadline", { spec: { activeDeadlineSeconds: 10 } }),
  update(pod, "one more toleration", { spec: { tolerations: [{ key: "a", operator: "Exists" }] } }),
  update(pod, "priority left out", { spec: { priority: null, preemptionPolicy: null } }),
  update(pod, "another account", { spec: { serviceAccountName: "other", serviceAccount: "other" } }),
  update(pod, "a gate", { spec: { schedulingGates: [{ name: "a" }] } }),
  update(service, "another port", { spec: { ports: [{ port: 81 }] } }),
  update(service, "address left out", { spec: { clusterIP: null, clusterIPs: null } }),
  update(service, "another address", { spec: { clusterIP: "10.0.0.200", clusterIPs: ["10.0.0.200"] } }),
  update(service, "no address any more", { spec: { clusterIP: "None", clusterIPs: ["None"] } }),
  update(service, "to a node port", { spec: { type: "NodePort" } }),
  update(service, "to an external name", { spec: { type: "ExternalName", externalName: "a.b" } }),
  update(service, "to a load balancer", { spec: { type: "LoadBalancer", externalTrafficPolicy: "Local" } }),
  update(open, "node port left out", { spec: { ports: [{ port: 80 }] } }),
  update(open, "without node port", { spec: { type: "ClusterIP" } }),
  update(headless, "gets an address", { spec: { clusterIP: "10.0.0.201", clusterIPs: ["10.0.0.201"] } }),
  update(external, "to an address", { spec: { type: "ClusterIP", externalName: null, ports: [{ port: 80 }] } }),
  update(objectCase("secrets", "", { data: { a: "YQ==" } }), "another type", { type: "example.com/x" }),
  update(objectCase("secrets", "", { immutable: true }), "opened", { immutable: false, data: { a: "YQ==" } }),
  update(objectCase("configmaps", "", { data: { a: "b" } }), "sealed", { immutable: true, data: { a: "c" } }),
  update(objectCase("configmaps", "", { immutable: true }), "contents of a sealed one", { data: { a: "c" } }),
  update(objectCase("namespaces", "", {}, { name: "sample-ns" }), "no finalizers, no label", {
    metadata: { labels: null },
    spec: { finalizers: null },
    status: { phase: "Terminating" },
  }),
  update(claim, "grows before it is bound", { spec: { resources: { requests: { storage: "2Gi" } } } }),
  update(claim, "another mode", { spec: { accessModes: ["ReadWriteMany"] } }),
  update(claim, "gets its volume", { spec: { volumeName: "v" } }),
  update(claim, "gets a class", { spec: { storageClassName: "fast" } }),
  update(volume, "moved", { spec: { hostPath: { path: "/y" } } }),
  update(volume, "larger", { spec: { capacity: { storage: "2Gi" } } }),
  update(node, "another provider and range", { spec: { providerID: "b", podCIDR: null, podCIDRs: ["10.2.0.0/24"] } }),
  update(node, "cordoned", { spec: { unschedulable: true, taints: null } }),
  update(objectCase("resourcequotas", "", { spec: { hard: { pods: "1" } } }), "a scope", {
    spec: { scopes: ["BestEffort"] },
  }),
  update(
    objectCase("replicationcontrollers", "", {
      spec: { template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } } },
    }),
    "more replicas",
    { spec: { replicas: 3 } },
  ),
];
