// SPDX-License-Identifier: Apache-2.0
import type { Topic } from "../scenario.ts";
import { configMap, configMaps } from "./bodies.ts";

const secrets = "/api/v1/namespaces/${ns}/secrets";
const leases = "/apis/coordination.k8s.io/v1/namespaces/${ns}/leases";

/** Create, get, list, update, delete of plain objects. */
export const objects: Topic = {
  name: "objects",
  scenarios: [
    {
      id: "configmap-life",
      steps: [
        { name: "create", method: "POST", path: configMaps, body: configMap("a"), save: { uid: "metadata.uid" } },
        { name: "get", method: "GET", path: `${configMaps}/a` },
        { name: "list", method: "GET", path: configMaps },
        {
          name: "replace without a resourceVersion",
          method: "PUT",
          path: `${configMaps}/a`,
          body: configMap("a", { b: "2" }),
        },
        {
          name: "read its resourceVersion",
          method: "GET",
          path: `${configMaps}/a`,
          save: { rv: "metadata.resourceVersion" },
        },
        {
          name: "a write that changes nothing keeps the resourceVersion",
          method: "PUT",
          path: `${configMaps}/a`,
          body: configMap("a", { b: "2" }, { resourceVersion: "${rv}" }),
        },
        {
          name: "labels, annotations and binary values",
          method: "PUT",
          path: `${configMaps}/a`,
          body: {
            ...configMap("a", { b: "ü€\u0000\u001f<&>" }, { labels: { l: "1" }, annotations: { "x/y": "z" } }),
            binaryData: { bin: "AAEC/w==" },
            immutable: true,
          },
        },
        {
          name: "an immutable one does not change",
          method: "PUT",
          path: `${configMaps}/a`,
          body: configMap("a", { c: "3" }),
        },
        { name: "delete", method: "DELETE", path: `${configMaps}/a` },
        { name: "get after delete", method: "GET", path: `${configMaps}/a` },
        { name: "delete after delete", method: "DELETE", path: `${configMaps}/a` },
        { name: "an empty list", method: "GET", path: configMaps },
      ],
    },
    {
      id: "create-rules",
      steps: [
        {
          name: "kind and apiVersion may be left out",
          method: "POST",
          path: configMaps,
          body: { metadata: { name: "bare" } },
        },
        {
          name: "a client sets what is the server's",
          method: "POST",
          path: configMaps,
          body: configMap(
            "own",
            {},
            {
              uid: "11111111-2222-3333-4444-555555555555",
              creationTimestamp: "2020-01-01T00:00:00Z",
              generation: 7,
              selfLink: "/x",
            },
          ),
        },
        {
          name: "generateName",
          method: "POST",
          path: configMaps,
          body: { metadata: { generateName: "gen-" } },
          save: { gen: "metadata.name" },
        },
        { name: "get by the drawn name", method: "GET", path: `${configMaps}/\${gen}` },
        {
          name: "a name wins over generateName",
          method: "POST",
          path: configMaps,
          body: { metadata: { name: "both", generateName: "gen-" } },
        },
        {
          name: "a long generateName is cut",
          method: "POST",
          path: configMaps,
          query: { dryRun: "All" },
          body: { metadata: { generateName: "g".repeat(80) } },
        },
        { name: "neither name nor generateName", method: "POST", path: configMaps, body: { metadata: {} } },
        { name: "no metadata at all", method: "POST", path: configMaps, body: {} },
        { name: "a bad name", method: "POST", path: configMaps, body: configMap("Bad_Name") },
        { name: "a name that is too long", method: "POST", path: configMaps, body: configMap("n".repeat(254)) },
        { name: "a bad key in data", method: "POST", path: configMaps, body: configMap("k", { "a b": "1" }) },
        {
          name: "a bad label and a bad annotation",
          method: "POST",
          path: configMaps,
          body: configMap("l", {}, { labels: { "-x": "v" }, annotations: { "a/b/c": "v" } }),
        },
        {
          name: "a bad value of a label",
          method: "POST",
          path: configMaps,
          body: configMap("l", {}, { labels: { ok: "not ok!" } }),
        },
        {
          name: "bad owner references",
          method: "POST",
          path: configMaps,
          body: configMap("o", {}, { ownerReferences: [{ apiVersion: "v1", kind: "", name: "", uid: "" }] }),
        },
        {
          name: "two controllers",
          method: "POST",
          path: configMaps,
          body: configMap(
            "o",
            {},
            {
              ownerReferences: [
                { apiVersion: "v1", kind: "A", name: "a", uid: "1", controller: true },
                { apiVersion: "v1", kind: "B", name: "b", uid: "2", controller: true },
              ],
            },
          ),
        },
        {
          name: "a bad finalizer",
          method: "POST",
          path: configMaps,
          body: configMap("f", {}, { finalizers: ["nodomain", "ok/yes"] }),
        },
        {
          name: "the same key in data and binaryData",
          method: "POST",
          path: configMaps,
          body: { ...configMap("d"), binaryData: { a: "AA==" } },
        },
      ],
    },
    {
      id: "secrets",
      steps: [
        {
          name: "text becomes base64",
          method: "POST",
          path: secrets,
          body: { metadata: { name: "s" }, stringData: { p: "word" }, data: { q: "cQ==" } },
        },
        { name: "get", method: "GET", path: `${secrets}/s` },
        {
          name: "the type cannot change",
          method: "PUT",
          path: `${secrets}/s`,
          body: { metadata: { name: "s" }, type: "other" },
        },
        { name: "no base64", method: "POST", path: secrets, body: { metadata: { name: "t" }, data: { q: "%%" } } },
        {
          name: "a dockerconfigjson that lacks its key",
          method: "POST",
          path: secrets,
          body: { metadata: { name: "t" }, type: "kubernetes.io/dockerconfigjson" },
        },
        {
          name: "basic auth without its keys",
          method: "POST",
          path: secrets,
          body: { metadata: { name: "t" }, type: "kubernetes.io/basic-auth" },
        },
        {
          name: "TLS without its keys",
          method: "POST",
          path: secrets,
          body: { metadata: { name: "t" }, type: "kubernetes.io/tls" },
        },
        { name: "select by type", method: "GET", path: secrets, query: { fieldSelector: "type=Opaque" } },
      ],
    },
    {
      id: "create-by-put",
      steps: [
        {
          name: "a lease",
          method: "PUT",
          path: `${leases}/l`,
          body: { metadata: { name: "l" }, spec: { holderIdentity: "me" } },
        },
        {
          name: "again without a resourceVersion",
          method: "PUT",
          path: `${leases}/l`,
          body: { metadata: { name: "l" } },
        },
        {
          name: "times keep their six digits",
          method: "POST",
          path: leases,
          body: {
            metadata: { name: "six" },
            spec: { renewTime: "2020-01-02T03:04:05.123456Z", leaseDurationSeconds: 15 },
          },
        },
        {
          name: "times get six digits",
          method: "POST",
          path: leases,
          body: { metadata: { name: "none" }, spec: { renewTime: "2020-01-02T03:04:05Z" } },
        },
        {
          name: "a bad time",
          method: "POST",
          path: leases,
          body: { metadata: { name: "bad" }, spec: { renewTime: "yesterday" } },
        },
        {
          name: "a bad duration",
          method: "POST",
          path: leases,
          body: { metadata: { name: "bad" }, spec: { leaseDurationSeconds: 0 } },
        },
        { name: "not a configmap", method: "PUT", path: `${configMaps}/new`, body: configMap("new") },
        {
          name: "not with a uid of another",
          method: "PUT",
          path: `${leases}/m`,
          body: { metadata: { name: "m", uid: "abc" } },
        },
      ],
    },
    {
      id: "events",
      steps: [
        {
          name: "create",
          method: "POST",
          path: "/api/v1/namespaces/${ns}/events",
          body: {
            metadata: { name: "e" },
            involvedObject: { kind: "Pod", name: "p", namespace: "${ns}", uid: "u1" },
            reason: "Started",
            message: "it did",
            type: "Normal",
            source: { component: "me" },
            firstTimestamp: "2020-01-01T00:00:00Z",
            lastTimestamp: "2020-01-01T00:00:00Z",
            count: 1,
          },
        },
        { name: "the same as events.k8s.io", method: "GET", path: "/apis/events.k8s.io/v1/namespaces/${ns}/events/e" },
        {
          name: "select by its object",
          method: "GET",
          path: "/api/v1/namespaces/${ns}/events",
          query: { fieldSelector: "involvedObject.name=p,involvedObject.uid=u1,reason=Started" },
        },
        {
          name: "select none",
          method: "GET",
          path: "/api/v1/namespaces/${ns}/events",
          query: { fieldSelector: "type!=Normal" },
        },
        {
          name: "of another namespace than its object",
          method: "POST",
          path: "/api/v1/namespaces/${ns}/events",
          body: { metadata: { name: "f" }, involvedObject: { kind: "Pod", name: "p", namespace: "default" } },
        },
        {
          name: "count up by patch",
          method: "PATCH",
          path: "/api/v1/namespaces/${ns}/events/e",
          headers: { "content-type": "application/strategic-merge-patch+json" },
          body: { count: 2, lastTimestamp: "2020-01-01T00:01:00Z" },
        },
        {
          name: "events.k8s.io wants more",
          method: "POST",
          path: "/apis/events.k8s.io/v1/namespaces/${ns}/events",
          body: { metadata: { name: "g" }, regarding: { kind: "Pod", name: "p", namespace: "${ns}" } },
        },
      ],
    },
  ],
};
