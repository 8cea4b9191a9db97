// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import {
  asMetadata,
  asMetadataList,
  asTable,
  configMap,
  configMaps,
  deployment,
  deployments,
  makeServiceAccount,
  pod,
  pods,
  services,
} from "./bodies.ts";

const table = (name: string, path: string, query: Readonly<Record<string, string>> = {}): Step => ({
  name,
  method: "GET",
  path,
  query,
  headers: asTable,
});

const accepting = (name: string, accept: string): Step => ({
  name,
  method: "GET",
  path: `${configMaps}/a`,
  headers: { accept },
});

const make = (path: string, name: string, body: Readonly<Record<string, unknown>>): Step => ({
  name: `create ${name}`,
  method: "POST",
  path,
  body: { metadata: { name }, ...body },
});

export const representations: Topic = {
  name: "representations",
  scenarios: [
    {
      id: "tables",
      steps: [
        {
          name: "create",
          method: "POST",
          path: configMaps,
          body: configMap("a", { x: "1", y: "2" }, { labels: { l: "1" } }),
        },
        table("a list", configMaps),
        table("one object", `${configMaps}/a`),
        table("without objects", configMaps, { includeObject: "None" }),
        table("with whole objects", configMaps, { includeObject: "Object" }),
        table("with what nobody knows", configMaps, { includeObject: "Everything" }),
        table("an empty list", "/api/v1/namespaces/${ns}/secrets"),
        table("a refusal stays a Status", `${configMaps}/none`),
        {
          name: "v1beta1 is there too",
          method: "GET",
          path: configMaps,
          headers: { accept: "application/json;as=Table;v=v1beta1;g=meta.k8s.io" },
        },
        {
          name: "parameters in another order",
          method: "GET",
          path: configMaps,
          headers: { accept: "application/json;g=meta.k8s.io;v=v1;as=Table" },
          pick: ["kind"],
        },
        {
          name: "a create answers with a row",
          method: "POST",
          path: configMaps,
          headers: asTable,
          body: configMap("b"),
        },
        { name: "a delete answers with a Status", method: "DELETE", path: `${configMaps}/b`, headers: asTable },
        { name: "a watch", method: "GET", path: configMaps, query: { watch: "true" }, headers: asTable, events: 1 },
      ],
    },
    {
      id: "daily-tables",
      steps: [
        make("/api/v1/namespaces/${ns}/secrets", "s", { stringData: { a: "1" } }),
        table("secrets", "/api/v1/namespaces/${ns}/secrets"),
        make(services, "svc", {
          spec: {
            ports: [
              { name: "w", port: 80 },
              { name: "x", port: 81, protocol: "UDP" },
            ],
            selector: { a: "b" },
          },
        }),
        table("services", services),
        { name: "create a deployment", method: "POST", path: deployments, body: deployment("d") },
        table("deployments", deployments),
        makeServiceAccount,
        table("service accounts", "/api/v1/namespaces/${ns}/serviceaccounts"),
        { name: "create a pod", method: "POST", path: pods, body: pod("p") },
        table("pods", pods),
        make("/apis/apps/v1/namespaces/${ns}/statefulsets", "ss", {
          ...deployment("ss"),
          metadata: { name: "ss" },
          kind: "StatefulSet",
        }),
        table("stateful sets", "/apis/apps/v1/namespaces/${ns}/statefulsets"),
        make("/apis/apps/v1/namespaces/${ns}/daemonsets", "ds", {
          ...deployment("ds"),
          metadata: { name: "ds" },
          kind: "DaemonSet",
        }),
        table("daemon sets", "/apis/apps/v1/namespaces/${ns}/daemonsets"),
        make("/apis/apps/v1/namespaces/${ns}/replicasets", "rs", {
          ...deployment("rs"),
          metadata: { name: "rs" },
          kind: "ReplicaSet",
        }),
        table("replica sets", "/apis/apps/v1/namespaces/${ns}/replicasets"),
        make("/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses", "i", {
          spec: {
            rules: [{ host: "x.example.com" }],
            defaultBackend: { service: { name: "svc", port: { number: 80 } } },
          },
        }),
        table("ingresses", "/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses"),
        make("/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles", "r", { rules: [] }),
        table("roles", "/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles"),
        make("/api/v1/namespaces/${ns}/persistentvolumeclaims", "c", {
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        }),
        table("claims", "/api/v1/namespaces/${ns}/persistentvolumeclaims"),
        table("one namespace", "/api/v1/namespaces/${ns}"),
      ],
    },
    {
      id: "partial-metadata",
      steps: [
        { name: "create", method: "POST", path: configMaps, body: configMap("a", { x: "1" }, { labels: { l: "1" } }) },
        { name: "one object", method: "GET", path: `${configMaps}/a`, headers: asMetadata },
        { name: "a list", method: "GET", path: configMaps, headers: asMetadataList },
        { name: "a page", method: "GET", path: configMaps, query: { limit: "1" }, headers: asMetadataList },
        { name: "an object as a list", method: "GET", path: `${configMaps}/a`, headers: asMetadataList },
        { name: "a list as an object", method: "GET", path: configMaps, headers: asMetadata },
        {
          name: "a watch with bookmark",
          method: "GET",
          path: configMaps,
          query: {
            watch: "true",
            sendInitialEvents: "true",
            allowWatchBookmarks: "true",
            resourceVersionMatch: "NotOlderThan",
          },
          headers: asMetadata,
          events: 2,
        },
        {
          name: "a patch answers so too",
          method: "PATCH",
          path: `${configMaps}/a`,
          headers: { ...asMetadata, "content-type": "application/merge-patch+json" },
          body: { data: { x: "2" } },
        },
      ],
    },
    {
      id: "negotiation",
      steps: [
        { name: "create", method: "POST", path: configMaps, body: configMap("a", { n: "1", yes: "yes" }) },
        accepting("anything", "*/*"),
        accepting("anything of application", "application/*"),
        accepting("an empty Accept", ""),
        { name: "no Accept", method: "GET", path: `${configMaps}/a`, headers: { accept: null } },
        accepting("with weights", "text/html;q=0.9, application/json;q=0.8"),
        accepting("a later clause", "application/cbor-seq,text/plain,application/json"),
        accepting("YAML", "application/yaml"),
        accepting("HTML", "text/html"),
        accepting("a charset", "application/json; charset=utf-8"),
        accepting("as something that nobody knows", "application/json;as=Gadget;v=v1;g=meta.k8s.io"),
        accepting("as a Table of another group", "application/json;as=Table;v=v1;g=example.com"),
        accepting("broken", "application/json;;;"),
        { name: "a list in HTML", method: "GET", path: configMaps, headers: { accept: "text/html" } },
        {
          name: "YAML in, JSON out",
          method: "POST",
          path: configMaps,
          headers: { "content-type": "application/yaml" },
          text: "metadata:\n  name: yaml\ndata:\n  a: \"1\"\n  b: 'two'\n  c: |\n    three\n",
        },
        {
          name: "a name that YAML 1.1 takes for a boolean",
          method: "POST",
          path: configMaps,
          headers: { "content-type": "application/yaml" },
          text: "metadata:\n  name: y\n",
        },
        {
          name: "YAML of two documents",
          method: "POST",
          path: configMaps,
          headers: { "content-type": "application/yaml" },
          text: "metadata: {name: y1}\n---\nmetadata: {name: y2}\n",
        },
        {
          name: "broken YAML",
          method: "POST",
          path: configMaps,
          headers: { "content-type": "application/yaml" },
          text: "a: b: c",
        },
        {
          name: "JSON with a charset",
          method: "POST",
          path: configMaps,
          headers: { "content-type": "application/json; charset=utf-8" },
          body: configMap("cs"),
        },
        { name: "no Content-Type", method: "POST", path: configMaps, text: '{"metadata":{"name":"nc"}}' },
        {
          name: "a form",
          method: "POST",
          path: configMaps,
          headers: { "content-type": "application/x-www-form-urlencoded" },
          text: "a=b",
        },
        {
          name: "a Content-Type that is none",
          method: "POST",
          path: configMaps,
          headers: { "content-type": "nonsense" },
          text: "{}",
        },
        { name: "pretty", method: "GET", path: `${configMaps}/a`, query: { pretty: "true" } },
        { name: "an unknown parameter", method: "GET", path: `${configMaps}/a`, query: { unknown: "x" } },
      ],
    },
  ],
};
