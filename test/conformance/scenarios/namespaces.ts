// SPDX-License-Identifier: Apache-2.0
import type { Topic } from "../scenario.ts";
import { configMap } from "./bodies.ts";

const namespace = "/api/v1/namespaces/life-${run}";
const inside = `${namespace}/configmaps`;

export const namespaces: Topic = {
  name: "namespaces",
  scenarios: [
    {
      id: "namespace-life",
      steps: [
        { name: "create", method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "life-${run}" } } },
        { name: "again", method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "life-${run}" } } },
        { name: "put something in", method: "POST", path: inside, body: configMap("a") },
        {
          name: "put something in that stays",
          method: "POST",
          path: inside,
          body: configMap("held", {}, { finalizers: ["example.com/hold"] }),
        },
        {
          name: "its label cannot go",
          method: "PATCH",
          path: namespace,
          headers: { "content-type": "application/merge-patch+json" },
          body: { metadata: { labels: { "kubernetes.io/metadata.name": null, x: "1" } } },
        },
        { name: "delete", method: "DELETE", path: namespace },
        { name: "it is terminating", method: "GET", path: namespace, pick: ["spec", "status.phase"] },
        { name: "create in it", method: "POST", path: inside, body: configMap("late") },
        {
          name: "create in it as a dry run",
          method: "POST",
          path: inside,
          query: { dryRun: "All" },
          body: configMap("late"),
        },
        { name: "what is in it goes", method: "GET", path: `${inside}/a`, wait: { status: 404 } },
        {
          name: "what is held is asked to go",
          method: "GET",
          path: `${inside}/held`,
          wait: { at: "metadata.deletionGracePeriodSeconds", equals: 0 },
        },
        { name: "delete again", method: "DELETE", path: namespace, pick: ["kind", "spec", "status.phase"] },
        {
          name: "let it go",
          method: "PATCH",
          path: `${inside}/held`,
          headers: { "content-type": "application/merge-patch+json" },
          body: { metadata: { finalizers: null } },
        },
        { name: "gone", method: "GET", path: namespace, wait: { status: 404 } },
        {
          name: "create once more",
          method: "POST",
          path: "/api/v1/namespaces",
          body: { metadata: { name: "life-${run}" } },
        },
      ],
    },
    {
      id: "namespace-rules",
      steps: [
        { name: "default cannot go", method: "DELETE", path: "/api/v1/namespaces/default" },
        { name: "kube-system cannot go", method: "DELETE", path: "/api/v1/namespaces/kube-system" },
        { name: "kube-public cannot go", method: "DELETE", path: "/api/v1/namespaces/kube-public" },
        {
          name: "kube-node-lease",
          method: "DELETE",
          path: "/api/v1/namespaces/kube-node-lease",
          query: { dryRun: "All" },
        },
        { name: "one that is not there", method: "DELETE", path: "/api/v1/namespaces/none-${run}" },
        {
          name: "finalize one that stays",
          method: "PUT",
          path: "/api/v1/namespaces/${ns}/finalize",
          body: { metadata: { name: "${ns}" }, spec: { finalizers: ["kubernetes", "example.com/more"] } },
        },
        {
          name: "a finalizer without a domain",
          method: "PUT",
          path: "/api/v1/namespaces/${ns}/finalize",
          body: { metadata: { name: "${ns}" }, spec: { finalizers: ["bad"] } },
        },
        {
          name: "finalize it back",
          method: "PUT",
          path: "/api/v1/namespaces/${ns}/finalize",
          body: { metadata: { name: "${ns}" }, spec: { finalizers: ["kubernetes"] } },
        },
        {
          name: "replace keeps its finalizers",
          method: "PUT",
          path: "/api/v1/namespaces/${ns}",
          body: { metadata: { name: "${ns}", labels: { a: "b" } } },
        },
        {
          name: "dry run",
          method: "POST",
          path: "/api/v1/namespaces",
          query: { dryRun: "All" },
          body: { metadata: { name: "dry-${run}" } },
        },
        {
          name: "generateName",
          method: "POST",
          path: "/api/v1/namespaces",
          query: { dryRun: "All" },
          body: { metadata: { generateName: "gen-" } },
        },
      ],
    },
  ],
};
