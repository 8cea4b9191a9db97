// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { asTable, makeServiceAccount, mergePatch, pod, podSpec, pods } from "./bodies.ts";

const runtimeClasses = "/apis/node.k8s.io/v1/runtimeclasses";
const schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const levels = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
/** A certificate request for `CN=test`, PEM in base64. */
const certificateRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISk1IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWRHVnpkREJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSApBMElBQk9JcWZ5eHQySTVKZ1JxcEFqQ1FWc0tiZm13TGtPMkJIMkt5NG56c2xMaFZMaUExZUViV1cxYkhDeXJKCjBZZE90ZVlXZSt6VUgxNkRvSi9ZeTYrT0hBcWdBREFLQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBeDJ5VG5TbHkKUDZmQlFXSzM1ZUo2cUZzWFpuU0dMZW8vaE10bCtzSGYwNWNDSUhaVWd3eXlQa1FSK0lxd0JhaGxPeDMrVHhKMgpjV0tUNGFBZ1lYcW1JRzl4Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
const admission = "/apis/admissionregistration.k8s.io/v1";
const capacities = "/apis/storage.k8s.io/v1/namespaces/${ns}/csistoragecapacities";

function create(name: string, path: string, body: Readonly<Record<string, unknown>>): Step {
  return { name, method: "POST", path, body: { metadata: { name: "x-${run}" }, ...body } };
}

function makePod(name: string, spec: Readonly<Record<string, unknown>>): Step {
  return {
    name,
    method: "POST",
    path: pods,
    body: pod(name.replaceAll(/[^a-z]/g, "-"), { ...podSpec, ...spec }),
    pick: ["message", "reason", "details", "spec.overhead", "spec.nodeSelector", "spec.tolerations"],
  };
}

export const plainKinds: Topic = {
  name: "plain-kinds",
  scenarios: [
    {
      id: "runtime-classes",
      steps: [
        makeServiceAccount,
        create("without a handler", runtimeClasses, {}),
        create("with mistakes", runtimeClasses, {
          handler: "A b",
          overhead: { podFixed: { cpu: "-1" } },
          scheduling: { tolerations: [{ key: "a", operator: "Foo" }] },
        }),
        create("create", runtimeClasses, {
          handler: "runc",
          overhead: { podFixed: { cpu: "100m" } },
          scheduling: {
            nodeSelector: { disk: "fast" },
            tolerations: [
              { key: "sandbox", operator: "Exists" },
              { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
            ],
          },
        }),
        {
          name: "another handler",
          method: "PATCH",
          path: `${runtimeClasses}/x-\${run}`,
          headers: mergePatch,
          body: { handler: "other" },
        },
        {
          name: "replaced without a version",
          method: "PUT",
          path: `${runtimeClasses}/x-\${run}`,
          body: { metadata: { name: "x-${run}" }, handler: "runc" },
        },
        {
          name: "replaced where there is none",
          method: "PUT",
          path: `${runtimeClasses}/y-\${run}`,
          body: { metadata: { name: "y-${run}" }, handler: "runc" },
        },
        makePod("pod of no class", { runtimeClassName: "none-${run}" }),
        makePod("pod with overhead and no class", { overhead: { cpu: "1" } }),
        makePod("pod with another overhead", { runtimeClassName: "x-${run}", overhead: { cpu: "1" } }),
        makePod("pod for another node", { runtimeClassName: "x-${run}", nodeSelector: { disk: "slow" } }),
        makePod("pod of the class", {
          runtimeClassName: "x-${run}",
          nodeSelector: { zone: "a" },
          tolerations: [{ key: "sandbox", operator: "Equal", value: "yes" }],
        }),
        makePod("pod of a class without rules", { runtimeClassName: "y-${run}" }),
        { name: "delete", method: "DELETE", path: `${runtimeClasses}/x-\${run}` },
      ],
    },
    {
      id: "flow-control",
      steps: [
        create("schema without a level", schemas, {}),
        create("schema", schemas, {
          spec: {
            priorityLevelConfiguration: { name: "exempt" },
            rules: [
              {
                subjects: [{ kind: "Group", group: { name: "x" } }],
                resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["*"] }],
              },
            ],
          },
        }),
        create("level without a type", levels, {}),
        create("level", levels, {
          spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } },
        }),
        {
          name: "level as a table",
          method: "GET",
          path: `${levels}/x-\${run}`,
          headers: asTable,
          pick: [1, 2, 3, 4, 5].map((index) => `rows.0.cells.${index}`),
        },
        { name: "delete the schema", method: "DELETE", path: `${schemas}/x-\${run}` },
        { name: "delete the level", method: "DELETE", path: `${levels}/x-\${run}` },
      ],
    },
    {
      id: "signing-requests",
      steps: [
        create("empty", requests, {}),
        create("with mistakes", requests, {
          spec: { request: "Zm9v", signerName: "example.com/s", usages: ["client auth"], expirationSeconds: 5 },
        }),
        create("create", requests, {
          spec: {
            request: certificateRequest,
            signerName: "example.com/s",
            usages: ["client auth"],
            expirationSeconds: 3600,
            username: "somebody else",
          },
          status: { certificate: "Zm9v" },
        }),
        {
          name: "another signer",
          method: "PATCH",
          path: `${requests}/x-\${run}`,
          headers: mergePatch,
          body: { spec: { signerName: "example.com/other" }, metadata: { labels: { a: "b" } } },
          pick: ["message", "spec.signerName", "metadata.labels"],
        },
        {
          name: "as a table",
          method: "GET",
          path: `${requests}/x-\${run}`,
          headers: asTable,
          pick: [2, 3, 4, 5].map((index) => `rows.0.cells.${index}`),
        },
        {
          name: "approve",
          method: "PATCH",
          path: `${requests}/x-\${run}/approval`,
          headers: mergePatch,
          body: { status: { conditions: [{ type: "Approved", status: "True", reason: "ByMe", message: "fine" }] } },
          pick: ["status", "message"],
        },
        {
          name: "as a table again",
          method: "GET",
          path: `${requests}/x-\${run}`,
          headers: asTable,
          pick: [2, 3, 4, 5].map((index) => `rows.0.cells.${index}`),
        },
        { name: "delete", method: "DELETE", path: `${requests}/x-\${run}` },
      ],
    },
    {
      id: "not-enforced",
      steps: [
        create("create a quota", "/api/v1/namespaces/${ns}/resourcequotas", {
          spec: { hard: { cpu: "1000m", pods: "10", "requests.memory": "1024Mi" } },
        }),
        create("create a webhook configuration", `${admission}/validatingwebhookconfigurations`, {}),
        create("create a binding of a policy", `${admission}/validatingadmissionpolicybindings`, {
          spec: { policyName: "none", validationActions: ["Deny"] },
        }),
        { name: "a quota that is not there", method: "GET", path: "/api/v1/namespaces/${ns}/resourcequotas/none" },
        {
          name: "columns of policies",
          method: "GET",
          path: `${admission}/validatingadmissionpolicies`,
          headers: asTable,
          pick: ["columnDefinitions.1.name", "columnDefinitions.2.name", "columnDefinitions.3.name"],
        },
      ],
    },
    {
      id: "storage-capacities",
      steps: [
        create("without a class", capacities, {}),
        create("create", capacities, { storageClassName: "fast", capacity: "10Gi" }),
        {
          name: "another class",
          method: "PATCH",
          path: `${capacities}/x-\${run}`,
          headers: mergePatch,
          body: { storageClassName: "slow" },
        },
        {
          name: "another capacity",
          method: "PATCH",
          path: `${capacities}/x-\${run}`,
          headers: mergePatch,
          body: { capacity: "5Gi" },
        },
        { name: "as a table", method: "GET", path: capacities, headers: asTable, pick: ["columnDefinitions.1.name"] },
        { name: "delete", method: "DELETE", path: `${capacities}/x-\${run}` },
      ],
    },
  ],
};
