// SPDX-License-Identifier: Apache-2.0
import type { Topic } from "../scenario.ts";
import { configMaps } from "./bodies.ts";
import { bindings, core, grant, rbac, roles } from "./grants.ts";

/** Rights of others: impersonation, escalation, binding, and the roles that a server is born with. */
export const borrowedRights: Topic = {
  name: "borrowed-rights",
  scenarios: [
    {
      id: "impersonation",
      steps: [
        { name: "admin as bob", method: "GET", path: configMaps, headers: { "impersonate-user": "bob" } },
        {
          name: "who admin is then",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
          headers: {
            "impersonate-user": "zoe",
            "impersonate-group": ["g1", "g2"],
            "impersonate-uid": "u1",
            "impersonate-extra-scopes": "a",
          },
          body: {},
        },
        {
          name: "with groups",
          method: "GET",
          path: configMaps,
          headers: { "impersonate-user": "bob", "impersonate-group": "system:masters" },
        },
        {
          name: "a service account",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
          headers: { "impersonate-user": "system:serviceaccount:${ns}:robot" },
          body: {},
        },
        {
          name: "anonymous",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
          headers: { "impersonate-user": "system:anonymous" },
          body: {},
        },
        { name: "bob as admin", method: "GET", path: configMaps, as: "bob", headers: { "impersonate-user": "admin" } },
        {
          name: "bob as a service account",
          method: "GET",
          path: configMaps,
          as: "bob",
          headers: { "impersonate-user": "system:serviceaccount:${ns}:robot" },
        },
        { name: "a group without a user", method: "GET", path: configMaps, headers: { "impersonate-group": "g" } },
        { name: "a uid without a user", method: "GET", path: configMaps, headers: { "impersonate-uid": "g" } },
      ],
    },
    {
      id: "escalation",
      steps: [
        ...grant(
          "author",
          [
            {
              apiGroups: ["rbac.authorization.k8s.io"],
              resources: ["roles", "rolebindings"],
              verbs: ["create", "update", "patch", "get"],
            },
            core(["configmaps"], ["get"]),
          ],
          "create",
          "roles",
        ),
        {
          name: "a role within what dev has",
          method: "POST",
          path: roles,
          as: "dev",
          body: { metadata: { name: "small" }, rules: [core(["configmaps"], ["get"])] },
        },
        {
          name: "a role beyond",
          method: "POST",
          path: roles,
          as: "dev",
          body: {
            metadata: { name: "large" },
            rules: [core(["configmaps"], ["get", "delete"]), core(["pods", "secrets"], ["*"])],
          },
        },
        {
          name: "a role that grows",
          method: "PUT",
          path: `${roles}/small`,
          as: "dev",
          body: { metadata: { name: "small" }, rules: [core(["configmaps"], ["get", "list"])] },
        },
        {
          name: "a role that only gets a label",
          method: "PATCH",
          path: `${roles}/small`,
          as: "dev",
          headers: { "content-type": "application/merge-patch+json" },
          body: { metadata: { labels: { a: "b" } } },
        },
        {
          name: "admin makes a large role",
          method: "POST",
          path: roles,
          body: { metadata: { name: "large" }, rules: [core(["pods"], ["*"])] },
        },
        {
          name: "bind it",
          method: "POST",
          path: bindings,
          as: "dev",
          body: {
            metadata: { name: "b" },
            roleRef: { kind: "Role", name: "large" },
            subjects: [{ kind: "User", name: "dev" }],
          },
        },
        {
          name: "bind a small one",
          method: "POST",
          path: bindings,
          as: "dev",
          body: {
            metadata: { name: "s" },
            roleRef: { kind: "Role", name: "small" },
            subjects: [{ kind: "User", name: "bob" }],
          },
        },
        {
          name: "bind one that is not there",
          method: "POST",
          path: bindings,
          as: "dev",
          body: { metadata: { name: "n" }, roleRef: { kind: "Role", name: "none" } },
        },
        {
          name: "bind a cluster role",
          method: "POST",
          path: bindings,
          as: "dev",
          body: { metadata: { name: "c" }, roleRef: { kind: "ClusterRole", name: "cluster-admin" } },
        },
        {
          name: "a cluster binding",
          method: "POST",
          path: `${rbac}/clusterrolebindings`,
          as: "dev",
          body: { metadata: { name: "x-${run}" }, roleRef: { kind: "ClusterRole", name: "view" } },
        },
        ...grant(
          "binder",
          [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["bind"] }],
          "bind",
          "roles",
        ),
        {
          name: "bind it with the right to bind",
          method: "POST",
          path: bindings,
          as: "dev",
          body: {
            metadata: { name: "b" },
            roleRef: { kind: "Role", name: "large" },
            subjects: [{ kind: "User", name: "bob" }],
          },
        },
        ...grant(
          "escalator",
          [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["escalate"] }],
          "escalate",
          "roles",
        ),
        {
          name: "a role beyond with the right to escalate",
          method: "POST",
          path: roles,
          as: "dev",
          body: { metadata: { name: "larger" }, rules: [core(["secrets"], ["*"])] },
        },
      ],
    },
    {
      id: "bootstrap-roles",
      steps: [
        { name: "cluster-admin", method: "GET", path: `${rbac}/clusterroles/cluster-admin` },
        { name: "system:basic-user", method: "GET", path: `${rbac}/clusterroles/system:basic-user` },
        { name: "system:discovery", method: "GET", path: `${rbac}/clusterroles/system:discovery` },
        {
          name: "view",
          method: "GET",
          path: `${rbac}/clusterroles/view`,
          pick: ["aggregationRule", "metadata.labels", "metadata.annotations"],
        },
        { name: "binding of cluster-admin", method: "GET", path: `${rbac}/clusterrolebindings/cluster-admin` },
      ],
    },
  ],
};
