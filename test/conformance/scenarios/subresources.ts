// SPDX-License-Identifier: Apache-2.0
import type { Topic } from "../scenario.ts";
import { configMaps, deployment, deployments, makeServiceAccount, mergePatch, pod, pods } from "./bodies.ts";

const scale = `${deployments}/d/scale`;
const status = `${deployments}/d/status`;

export const subresources: Topic = {
  name: "subresources",
  scenarios: [
    {
      id: "scale",
      steps: [
        { name: "create", method: "POST", path: deployments, body: deployment("d", { replicas: 2 }) },
        { name: "get", method: "GET", path: scale, save: { rv: "metadata.resourceVersion" } },
        {
          name: "replace",
          method: "PUT",
          path: scale,
          body: {
            apiVersion: "autoscaling/v1",
            kind: "Scale",
            metadata: { name: "d", namespace: "${ns}", resourceVersion: "${rv}" },
            spec: { replicas: 3 },
          },
        },
        {
          name: "replace with a stale resourceVersion",
          method: "PUT",
          path: scale,
          body: { metadata: { name: "d", resourceVersion: "${rv}" }, spec: { replicas: 4 } },
        },
        {
          name: "replace without a resourceVersion",
          method: "PUT",
          path: scale,
          body: { metadata: { name: "d" }, spec: { replicas: 4 } },
        },
        { name: "merge patch", method: "PATCH", path: scale, headers: mergePatch, body: { spec: { replicas: 5 } } },
        {
          name: "a patch that changes nothing",
          method: "PATCH",
          path: scale,
          headers: mergePatch,
          body: { spec: { replicas: 5 } },
        },
        { name: "negative", method: "PATCH", path: scale, headers: mergePatch, body: { spec: { replicas: -1 } } },
        { name: "of another kind", method: "PUT", path: scale, body: deployment("d") },
        { name: "of nothing", method: "GET", path: `${deployments}/none/scale` },
        { name: "of a kind that has none", method: "GET", path: `${configMaps}/x/scale` },
        { name: "delete", method: "DELETE", path: scale },
        {
          name: "the deployment was counted up",
          method: "GET",
          path: `${deployments}/d`,
          pick: ["spec.replicas", "metadata.generation"],
        },
      ],
    },
    {
      id: "status",
      steps: [
        {
          name: "create with a status",
          method: "POST",
          path: deployments,
          body: { ...deployment("d"), status: { replicas: 9 } },
        },
        {
          name: "patch its status",
          method: "PATCH",
          path: status,
          headers: mergePatch,
          body: { status: { replicas: 1, observedGeneration: 1 } },
        },
        {
          name: "patch its spec through status",
          method: "PATCH",
          path: status,
          headers: mergePatch,
          body: { spec: { replicas: 7 }, metadata: { labels: { x: "1" } } },
        },
        {
          name: "patch its status through the object",
          method: "PATCH",
          path: `${deployments}/d`,
          headers: mergePatch,
          body: { status: { replicas: 8 } },
        },
        { name: "get status", method: "GET", path: status },
        {
          name: "replace status",
          method: "PUT",
          path: status,
          body: { ...deployment("d"), status: { replicas: 2, readyReplicas: 1 } },
        },
        {
          name: "an invalid status",
          method: "PATCH",
          path: status,
          headers: mergePatch,
          body: { status: { replicas: -1 } },
        },
        {
          name: "ready beyond all",
          method: "PATCH",
          path: status,
          headers: mergePatch,
          body: { status: { replicas: 1, readyReplicas: 2 } },
        },
      ],
    },
    {
      id: "generation",
      steps: [
        { name: "create", method: "POST", path: deployments, body: deployment("d") },
        {
          name: "a label does not count",
          method: "PATCH",
          path: `${deployments}/d`,
          headers: mergePatch,
          body: { metadata: { labels: { a: "1" } } },
          pick: ["metadata.generation"],
        },
        {
          name: "an annotation counts",
          method: "PATCH",
          path: `${deployments}/d`,
          headers: mergePatch,
          body: { metadata: { annotations: { a: "1" } } },
          pick: ["metadata.generation"],
        },
        {
          name: "a spec counts",
          method: "PATCH",
          path: `${deployments}/d`,
          headers: mergePatch,
          body: { spec: { paused: true } },
          pick: ["metadata.generation"],
        },
        {
          name: "the same spec does not",
          method: "PATCH",
          path: `${deployments}/d`,
          headers: mergePatch,
          body: { spec: { paused: true } },
          pick: ["metadata.generation"],
        },
        {
          name: "a status does not",
          method: "PATCH",
          path: status,
          headers: mergePatch,
          body: { status: { replicas: 1 } },
          pick: ["metadata.generation"],
        },
        {
          name: "what a client says does not",
          method: "PATCH",
          path: `${deployments}/d`,
          headers: mergePatch,
          body: { metadata: { generation: 77 } },
          pick: ["metadata.generation"],
        },
        {
          name: "a write with the same content after defaults",
          method: "PUT",
          path: `${deployments}/d`,
          body: deployment("d", { paused: true }),
          pick: ["metadata.generation"],
        },
        { name: "once more", method: "PUT", path: `${deployments}/d`, body: deployment("d", { paused: true }) },
      ],
    },
    {
      id: "pod-subresources",
      steps: [
        makeServiceAccount,
        { name: "create", method: "POST", path: pods, body: pod("p") },
        {
          name: "status",
          method: "PATCH",
          path: `${pods}/p/status`,
          headers: mergePatch,
          body: { status: { phase: "Running", podIP: "10.1.2.3" } },
        },
        {
          name: "a spec that may change",
          method: "PATCH",
          path: `${pods}/p`,
          headers: { "content-type": "application/strategic-merge-patch+json" },
          body: { spec: { containers: [{ name: "c", image: "nginx:2" }] } },
        },
        {
          name: "binding",
          method: "POST",
          path: `${pods}/p/binding`,
          body: {
            apiVersion: "v1",
            kind: "Binding",
            metadata: { name: "p" },
            target: { apiVersion: "v1", kind: "Node", name: "n1" },
          },
        },
        { name: "bound", method: "GET", path: `${pods}/p`, pick: ["spec.nodeName", "status.conditions"] },
        {
          name: "binding again",
          method: "POST",
          path: `${pods}/p/binding`,
          body: { metadata: { name: "p" }, target: { kind: "Node", name: "n2" } },
        },
        { name: "log of a pod that is not there", method: "GET", path: `${pods}/none/log` },
        {
          name: "log of a container that is not there",
          method: "GET",
          path: `${pods}/p/log`,
          query: { container: "none" },
        },
        { name: "ephemeral containers", method: "GET", path: `${pods}/none/ephemeralcontainers` },
        {
          name: "eviction",
          method: "POST",
          path: `${pods}/p/eviction`,
          body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p", namespace: "${ns}" } },
        },
      ],
    },
  ],
};
