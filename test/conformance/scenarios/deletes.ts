// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import {
  configMap,
  configMaps,
  deployment,
  deployments,
  makeServiceAccount,
  mergePatch,
  pod,
  podSpec,
  pods,
} from "./bodies.ts";

const held = (name: string): Step => ({
  name: `create ${name}`,
  method: "POST",
  path: configMaps,
  body: configMap(name, {}, { finalizers: ["example.com/hold"] }),
});

const release = (name: string): Step => ({
  name: `release ${name}`,
  method: "PATCH",
  path: `${configMaps}/${name}`,
  headers: mergePatch,
  body: { metadata: { finalizers: null } },
});

const owner = (name: string): Step => ({
  name: `create ${name}`,
  method: "POST",
  path: configMaps,
  body: configMap(name),
  save: { [`${name}Uid`]: "metadata.uid" },
});

const owned = (name: string, by: string, more: object = {}): Step => ({
  name: `create ${name}`,
  method: "POST",
  path: configMaps,
  body: configMap(
    name,
    {},
    { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: by, uid: `\${${by}Uid}`, ...more }] },
  ),
});

const gone = (name: string): Step => ({
  name: `${name} is gone`,
  method: "GET",
  path: `${configMaps}/${name}`,
  wait: { status: 404 },
});

export const deletes: Topic = {
  name: "deletes",
  scenarios: [
    {
      id: "finalizers",
      steps: [
        held("f"),
        { name: "delete", method: "DELETE", path: `${configMaps}/f` },
        { name: "it is still there", method: "GET", path: `${configMaps}/f` },
        { name: "delete again", method: "DELETE", path: `${configMaps}/f` },
        { name: "create while it goes", method: "POST", path: configMaps, body: configMap("f") },
        {
          name: "change while it goes",
          method: "PATCH",
          path: `${configMaps}/f`,
          headers: mergePatch,
          body: { data: { x: "1" } },
        },
        {
          name: "one more finalizer",
          method: "PATCH",
          path: `${configMaps}/f`,
          headers: mergePatch,
          body: { metadata: { finalizers: ["example.com/hold", "example.com/more"] } },
        },
        release("f"),
        { name: "gone", method: "GET", path: `${configMaps}/f` },
        {
          name: "a foreground finalizer at creation",
          method: "POST",
          path: configMaps,
          body: configMap("g", {}, { finalizers: ["foregroundDeletion", "orphan"] }),
        },
      ],
    },
    {
      id: "preconditions",
      steps: [
        {
          name: "create",
          method: "POST",
          path: configMaps,
          body: configMap("p"),
          save: { uid: "metadata.uid", rv: "metadata.resourceVersion" },
        },
        {
          name: "another uid",
          method: "DELETE",
          path: `${configMaps}/p`,
          body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "x" } },
        },
        {
          name: "another resourceVersion",
          method: "DELETE",
          path: `${configMaps}/p`,
          body: { preconditions: { uid: "${uid}", resourceVersion: "1" } },
        },
        {
          name: "both right",
          method: "DELETE",
          path: `${configMaps}/p`,
          body: {
            kind: "DeleteOptions",
            apiVersion: "meta.k8s.io/v1",
            preconditions: { uid: "${uid}", resourceVersion: "${rv}" },
          },
        },
      ],
    },
    {
      id: "background",
      steps: [
        owner("a"),
        owned("b", "a"),
        { name: "delete", method: "DELETE", path: `${configMaps}/a`, body: { propagationPolicy: "Background" } },
        gone("b"),
      ],
    },
    {
      id: "foreground",
      steps: [
        owner("a"),
        owned("b", "a", { blockOwnerDeletion: true }),
        {
          name: "hold b",
          method: "PATCH",
          path: `${configMaps}/b`,
          headers: mergePatch,
          body: { metadata: { finalizers: ["example.com/hold"] } },
        },
        { name: "delete", method: "DELETE", path: `${configMaps}/a`, body: { propagationPolicy: "Foreground" } },
        {
          name: "b is asked to go",
          method: "GET",
          path: `${configMaps}/b`,
          wait: { at: "metadata.deletionGracePeriodSeconds", equals: 0 },
        },
        { name: "a waits for b", method: "GET", path: `${configMaps}/a` },
        release("b"),
        gone("a"),
      ],
    },
    {
      id: "orphan",
      steps: [
        owner("a"),
        owned("b", "a"),
        { name: "delete", method: "DELETE", path: `${configMaps}/a`, query: { propagationPolicy: "Orphan" } },
        gone("a"),
        { name: "b has no owner", method: "GET", path: `${configMaps}/b` },
      ],
    },
    {
      id: "owner-not-there",
      steps: [
        {
          name: "create",
          method: "POST",
          path: configMaps,
          body: configMap(
            "b",
            {},
            {
              ownerReferences: [
                { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "11111111-2222-3333-4444-555555555555" },
              ],
            },
          ),
        },
        gone("b"),
      ],
    },
    {
      id: "delete-collection",
      steps: [
        { name: "create a", method: "POST", path: configMaps, body: configMap("a", {}, { labels: { x: "1" } }) },
        { name: "create b", method: "POST", path: configMaps, body: configMap("b") },
        held("c"),
        { name: "by label", method: "DELETE", path: configMaps, query: { labelSelector: "x=1" } },
        { name: "by field", method: "DELETE", path: configMaps, query: { fieldSelector: "metadata.name=none" } },
        { name: "all of them", method: "DELETE", path: configMaps },
        { name: "what is left", method: "GET", path: configMaps },
        release("c"),
        { name: "with a bad selector", method: "DELETE", path: configMaps, query: { labelSelector: "a=b=c" } },
      ],
    },
    {
      id: "preconditions-in-the-query",
      steps: [
        {
          name: "create a",
          method: "POST",
          path: configMaps,
          body: configMap("a"),
          save: { uid: "metadata.uid", rv: "metadata.resourceVersion" },
        },
        { name: "another uid", method: "DELETE", path: `${configMaps}/a`, query: { uid: "another" } },
        { name: "another version", method: "DELETE", path: `${configMaps}/a`, query: { resourceVersion: "1" } },
        {
          name: "a body makes the query count for nothing",
          method: "DELETE",
          path: `${configMaps}/a`,
          query: { uid: "another", dryRun: "All" },
          body: { dryRun: ["All"] },
        },
        {
          name: "its own",
          method: "DELETE",
          path: `${configMaps}/a`,
          query: { uid: "${uid}", resourceVersion: "${rv}" },
        },
      ],
    },
    {
      id: "delete-collection-at-a-version",
      steps: [
        {
          name: "create a",
          method: "POST",
          path: configMaps,
          body: configMap("a"),
          save: { rv: "metadata.resourceVersion" },
        },
        { name: "create b", method: "POST", path: configMaps, body: configMap("b") },
        { name: "what was there then", method: "DELETE", path: configMaps, query: { resourceVersion: "${rv}" } },
        { name: "what is left", method: "GET", path: configMaps },
        { name: "at no version", method: "DELETE", path: configMaps, query: { resourceVersion: "then" } },
      ],
    },
    {
      id: "grace",
      steps: [
        makeServiceAccount,
        { name: "a pod on a node", method: "POST", path: pods, body: pod("p", { ...podSpec, nodeName: "n1" }) },
        { name: "delete", method: "DELETE", path: `${pods}/p` },
        {
          name: "it waits for its kubelet",
          method: "GET",
          path: `${pods}/p`,
          pick: ["metadata.deletionGracePeriodSeconds", "metadata.generation", "status.phase"],
        },
        {
          name: "delete with less grace",
          method: "DELETE",
          path: `${pods}/p`,
          query: { gracePeriodSeconds: "1" },
          pick: ["metadata.deletionGracePeriodSeconds"],
        },
        { name: "delete at once", method: "DELETE", path: `${pods}/p`, body: { gracePeriodSeconds: 0 } },
        { name: "gone", method: "GET", path: `${pods}/p` },
        { name: "a pod on no node", method: "POST", path: pods, body: pod("q") },
        { name: "delete it", method: "DELETE", path: `${pods}/q` },
        { name: "gone as well", method: "GET", path: `${pods}/q` },
        { name: "a deployment", method: "POST", path: deployments, body: deployment("d") },
        {
          name: "delete it in the foreground",
          method: "DELETE",
          path: `${deployments}/d`,
          body: { propagationPolicy: "Foreground" },
        },
      ],
    },
  ],
};
