// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { configMap, configMaps, makeServiceAccount, pod, podSpec, pods } from "./bodies.ts";

const accounts = "/api/v1/namespaces/${ns}/serviceaccounts";
const secrets = "/api/v1/namespaces/${ns}/secrets";
const tokens = `${accounts}/robot/token`;
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";

const makeRobot: Step = {
  name: "make the account",
  method: "POST",
  path: accounts,
  body: { metadata: { name: "robot" } },
  save: { uid: "metadata.uid" },
};

/** Asks for a token and keeps it under the name. */
function request(name: string, spec: unknown, token?: string): Step {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  return {
    name,
    method: "POST",
    path: tokens,
    body,
    ...(token === undefined ? {} : { save: { [token]: "status.token" } }),
  };
}

function review(name: string, token: string, audiences?: readonly string[]): Step {
  const spec = { token: `\${${token}}`, ...(audiences === undefined ? {} : { audiences }) };
  return { name, method: "POST", path: reviews, body: { spec } };
}

/** The real server learns of deletions by a watch of its own. */
function reviewWhen(name: string, token: string, error: string): Step {
  return { ...review(name, token), wait: { at: "status.error", equals: error } };
}

const invalidated = "[invalid bearer token, service account token has been invalidated]";

export const accountTokens: Topic = {
  name: "account-tokens",
  scenarios: [
    {
      id: "token-requests",
      steps: [
        makeRobot,
        request("of nothing in particular", {}, "token"),
        {
          name: "who is it",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
          headers: { authorization: "Bearer ${token}" },
          body: {},
        },
        {
          name: "it has no rights",
          method: "GET",
          path: configMaps,
          headers: { authorization: "Bearer ${token}" },
        },
        review("its review", "token"),
        review("its review for the server", "token", ["https://kit.invalid", "other"]),
        review("its review for another audience", "token", ["other"]),
        request("for another audience", { audiences: ["vault", "other"], expirationSeconds: 600 }, "vault"),
        review("its review for the vault", "vault", ["vault"]),
        review("its review for the server again", "vault"),
        {
          name: "it is no bearer token here",
          method: "GET",
          path: configMaps,
          headers: { authorization: "Bearer ${vault}" },
        },
        request("too short", { expirationSeconds: 599 }),
        { ...request("longest", { expirationSeconds: 4_294_967_296 }), pick: ["spec"] },
        request("too long", { expirationSeconds: 4_294_967_297 }),
        request("with a field that does not exist", { lifetime: 3 }),
        {
          name: "the same, strictly",
          method: "POST",
          path: tokens,
          query: { fieldValidation: "Strict" },
          body: { spec: { lifetime: 3 } },
        },
        {
          name: "with its name and uid",
          method: "POST",
          path: tokens,
          body: { metadata: { name: "robot", namespace: "${ns}", uid: "${uid}", labels: { a: "b" } } },
        },
        { name: "with another name", method: "POST", path: tokens, body: { metadata: { name: "other" } } },
        { name: "with another namespace", method: "POST", path: tokens, body: { metadata: { namespace: "other" } } },
        { name: "with another uid", method: "POST", path: tokens, body: { metadata: { uid: "other" } } },
        { name: "of no account", method: "POST", path: `${accounts}/none/token`, body: {} },
        { name: "of another kind", method: "POST", path: tokens, body: { apiVersion: "v1", kind: "Pod" } },
        { name: "without a body", method: "POST", path: tokens },
        { name: "by bob", method: "POST", path: tokens, body: {}, as: "bob" },
        { name: "read", method: "GET", path: tokens },
        { name: "in YAML", method: "POST", path: tokens, body: {}, headers: { accept: "application/yaml" } },
        { name: "as a dry run", method: "POST", path: tokens, body: {}, query: { dryRun: "All" } },
      ],
    },
    {
      id: "bound-tokens",
      steps: [
        makeRobot,
        makeServiceAccount,
        { name: "make a secret", method: "POST", path: secrets, body: { metadata: { name: "s" } } },
        {
          name: "make a pod",
          method: "POST",
          path: pods,
          body: pod("p", { ...podSpec, serviceAccountName: "robot", nodeName: "gone" }),
          save: { podUid: "metadata.uid" },
        },
        { name: "make a pod of another account", method: "POST", path: pods, body: pod("o") },
        { name: "make a config map", method: "POST", path: configMaps, body: configMap("c") },
        request("to the secret", { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "s" } }, "ofSecret"),
        request(
          "to the pod",
          { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "${podUid}" } },
          "ofPod",
        ),
        {
          name: "who is it in the pod",
          method: "POST",
          path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
          headers: { authorization: "Bearer ${ofPod}" },
          body: {},
        },
        request("to the other account's pod", { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "o" } }),
        request("to no pod", { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } }),
        request("to another pod", { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "other" } }),
        request("to no node", { boundObjectRef: { kind: "Node", apiVersion: "v1", name: "none" } }),
        request("to a config map", { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "c" } }),
        request("to a deployment", { boundObjectRef: { kind: "Deployment", apiVersion: "apps/v1", name: "c" } }),
        { name: "delete the secret", method: "DELETE", path: `${secrets}/s` },
        reviewWhen("its review without the secret", "ofSecret", invalidated),
        { name: "delete the pod", method: "DELETE", path: `${pods}/p`, query: { gracePeriodSeconds: "0" } },
        reviewWhen("its review without the pod", "ofPod", invalidated),
        request("once more", {}, "token"),
        { name: "delete the account", method: "DELETE", path: `${accounts}/robot` },
        {
          ...review("its review without the account", "token"),
          wait: { at: "status.authenticated", equals: undefined },
        },
        { name: "make it again", method: "POST", path: accounts, body: { metadata: { name: "robot" } } },
        review("its review with another account of that name", "token"),
      ],
    },
  ],
};
