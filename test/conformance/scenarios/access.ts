// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { configMap, configMaps } from "./bodies.ts";
import { bindings, core, grant, reviews } from "./grants.ts";

function denied(name: string, method: Step["method"], path: string, more: Partial<Step> = {}): Step {
  return { name, method, path, as: "bob", ...more };
}

const review = (name: string, spec: unknown, as: "admin" | "bob" | "dev" = "admin"): Step => ({
  name,
  method: "POST",
  path: `${reviews}/selfsubjectaccessreviews`,
  as,
  body: { spec },
});

export const access: Topic = {
  name: "access",
  scenarios: [
    {
      id: "denied",
      steps: [
        denied("get", "GET", `${configMaps}/x`),
        denied("list", "GET", configMaps),
        denied("list everywhere", "GET", "/api/v1/configmaps"),
        denied("watch", "GET", configMaps, { query: { watch: "1" } }),
        denied("create", "POST", configMaps, { body: configMap("x") }),
        denied("create with a body that is none", "POST", configMaps, { text: "{" }),
        denied("update", "PUT", `${configMaps}/x`, { body: configMap("x") }),
        denied("patch", "PATCH", `${configMaps}/x`, {
          headers: { "content-type": "application/merge-patch+json" },
          body: {},
        }),
        denied("delete", "DELETE", `${configMaps}/x`),
        denied("delete all", "DELETE", configMaps),
        denied("a subresource", "GET", "/apis/apps/v1/namespaces/${ns}/deployments/d/scale"),
        denied("a cluster object", "GET", "/api/v1/nodes/n"),
        denied("namespaces", "GET", "/api/v1/namespaces"),
        denied("a namespace", "GET", "/api/v1/namespaces/${ns}"),
        denied("a resource that is not there", "GET", "/apis/apps/v1/namespaces/${ns}/gadgets"),
        denied("a group that is not there", "GET", "/apis/no.such/v1/gadgets"),
        denied("a path", "GET", "/logs"),
        denied("a list of one name", "GET", configMaps, { query: { fieldSelector: "metadata.name=x" } }),
        { name: "without a token", method: "GET", path: configMaps, as: "nobody" },
        { name: "with a bad token", method: "GET", path: configMaps, as: "stranger" },
        {
          name: "with basic authentication",
          method: "GET",
          path: configMaps,
          as: "nobody",
          headers: { authorization: "Basic YTpi" },
        },
      ],
    },
    {
      id: "granted",
      steps: [
        { name: "before", method: "GET", path: configMaps, as: "dev" },
        ...grant(
          "reader",
          [core(["configmaps"], ["get", "list"]), core(["secrets"], ["get"], { resourceNames: ["one"] })],
          "list",
          "configmaps",
        ),
        { name: "list", method: "GET", path: configMaps, as: "dev" },
        { name: "get what is not there", method: "GET", path: `${configMaps}/none`, as: "dev" },
        { name: "create", method: "POST", path: configMaps, as: "dev", body: configMap("x") },
        { name: "watch", method: "GET", path: configMaps, query: { watch: "true" }, as: "dev" },
        { name: "in another namespace", method: "GET", path: "/api/v1/namespaces/default/configmaps", as: "dev" },
        { name: "the secret by name", method: "GET", path: "/api/v1/namespaces/${ns}/secrets/one", as: "dev" },
        { name: "another secret", method: "GET", path: "/api/v1/namespaces/${ns}/secrets/two", as: "dev" },
        { name: "all secrets", method: "GET", path: "/api/v1/namespaces/${ns}/secrets", as: "dev" },
        {
          name: "rules",
          method: "POST",
          path: `${reviews}/selfsubjectrulesreviews`,
          as: "dev",
          body: { spec: { namespace: "${ns}" } },
          unordered: ["status.resourceRules", "status.nonResourceRules"],
        },
        {
          name: "rules without a namespace",
          method: "POST",
          path: `${reviews}/selfsubjectrulesreviews`,
          as: "dev",
          body: { spec: {} },
        },
        { name: "take it away", method: "DELETE", path: `${bindings}/reader` },
        { name: "after", method: "GET", path: configMaps, as: "dev", wait: { status: 403 } },
      ],
    },
    {
      id: "reviews",
      steps: [
        review("admin may", { resourceAttributes: { verb: "delete", resource: "nodes" } }),
        review(
          "bob may not",
          { resourceAttributes: { verb: "delete", resource: "nodes", name: "x", namespace: "${ns}" } },
          "bob",
        ),
        // Several bindings allow it, and which one is named is chance.
        {
          ...review("a path", { nonResourceAttributes: { verb: "get", path: "/version" } }, "bob"),
          pick: ["spec", "status.allowed"],
        },
        review("another path", { nonResourceAttributes: { verb: "get", path: "/metrics" } }, "bob"),
        review("nothing", {}, "bob"),
        review("both", { resourceAttributes: {}, nonResourceAttributes: {} }, "bob"),
        {
          name: "of another user",
          method: "POST",
          path: `${reviews}/subjectaccessreviews`,
          body: {
            spec: { user: "bob", groups: ["system:masters"], resourceAttributes: { verb: "get", resource: "pods" } },
          },
        },
        {
          name: "of nobody",
          method: "POST",
          path: `${reviews}/subjectaccessreviews`,
          body: { spec: { resourceAttributes: { verb: "get", resource: "pods" } } },
        },
        {
          name: "of another user by bob",
          method: "POST",
          path: `${reviews}/subjectaccessreviews`,
          as: "bob",
          body: { spec: { user: "dev" } },
        },
        {
          name: "in a namespace",
          method: "POST",
          path: `${reviews}/namespaces/\${ns}/localsubjectaccessreviews`,
          body: { spec: { user: "bob", resourceAttributes: { namespace: "${ns}", verb: "get", resource: "pods" } } },
        },
        {
          name: "in another namespace than it says",
          method: "POST",
          path: `${reviews}/namespaces/\${ns}/localsubjectaccessreviews`,
          body: { spec: { user: "bob", resourceAttributes: { namespace: "other", verb: "get", resource: "pods" } } },
        },
        {
          name: "who am I",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
          as: "dev",
          body: {},
        },
        {
          name: "who am I without a token",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
          as: "nobody",
          body: {},
        },
        {
          name: "a token review",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/tokenreviews",
          body: { spec: { token: "nobody-knows-it" } },
        },
        {
          name: "a token review without a token",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/tokenreviews",
          body: { spec: {} },
        },
      ],
    },
  ],
};
