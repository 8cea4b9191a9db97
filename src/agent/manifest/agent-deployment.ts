// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { flotillaMark } from "../../model/names.ts";
import { smallMallocVariables } from "../small-process.ts";

import {
  type AgentManifestOptions,
  agentName,
  agentNamespace,
  joinTokenKey,
  type KubeObject,
  labelsOf,
} from "./manifest-options.ts";

/** The ConfigMap with the hub's certificate authority. */
export const hubCaName = `${agentName}-hub-ca`;
const caFile = "ca.crt";

const caFolder = "/etc/flotilla/hub-ca";
const joinFolder = "/etc/flotilla/join";

/** Serves /livez, /readyz and /metrics. Above 1024, because the agent is not root. */
const healthPort = 8_080;

/** The user `nonroot` of distroless images. A number, because the kubelet cannot check a name for root. */
const userId = 65_532;

/** 0440: the agent reads it through its group; other users cannot. */
const secretFileMode = 0o440;

/** An agent needs at most 128 MiB (U-65); half as much again is room for garbage. A small cluster takes the request. */
const resources = { requests: { cpu: "50m", memory: "96Mi" }, limits: { memory: "192Mi" } };

/** One replica, stopped before the next one starts: two agents of a cluster would reject each other (SE9). */
export function createAgentDeployment(options: AgentManifestOptions): KubeObject {
  const labels = labelsOf(options);
  const selector = { "app.kubernetes.io/name": agentName };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: agentName, namespace: agentNamespace, labels },
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: selector },
      template: {
        metadata: { labels, annotations: annotationsOf(options) },
        spec: {
          serviceAccountName: agentName,
          nodeSelector: { "kubernetes.io/os": "linux" },
          securityContext: {
            runAsNonRoot: true,
            runAsUser: userId,
            runAsGroup: userId,
            fsGroup: userId,
            seccompProfile: { type: "RuntimeDefault" },
          },
          ...pullSecretsOf(options),
          containers: [agentContainer(options)],
          volumes: volumesOf(options),
        },
      },
    },
  };
}

function pullSecretsOf({ agentImagePullSecrets: names }: AgentManifestOptions): Readonly<Record<string, unknown>> {
  return names.length === 0 ? {} : { imagePullSecrets: names.map((name) => ({ name })) };
}

/** A changed authority replaces the Pod: the agent reads the file only at its start. */
function annotationsOf({ ca }: AgentManifestOptions): Readonly<Record<string, string>> {
  if (ca === undefined) return {};
  return { [flotillaMark("hub-ca-sha256")]: createHash("sha256").update(ca).digest("hex") };
}

function agentContainer(options: AgentManifestOptions): Readonly<Record<string, unknown>> {
  const probe = (path: string) => ({ httpGet: { path, port: "health" }, periodSeconds: 10, timeoutSeconds: 5 });
  return {
    name: "agent",
    image: options.image,
    args: agentArgs(options),
    env: Object.entries(smallMallocVariables).map(([name, value]) => ({ name, value })),
    ports: [{ name: "health", containerPort: healthPort, protocol: "TCP" }],
    livenessProbe: { ...probe("/livez"), failureThreshold: 6 },
    readinessProbe: probe("/readyz"),
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    },
    volumeMounts: [
      { name: "join-token", mountPath: joinFolder, readOnly: true },
      ...(options.ca === undefined ? [] : [{ name: "hub-ca", mountPath: caFolder, readOnly: true }]),
    ],
  };
}

/** The agent's arguments. Kubernetes expands `$(NAME)` in arguments, so every `$` is doubled. */
function agentArgs(options: AgentManifestOptions): readonly string[] {
  const { hub, ca, clusterId, region, environment, namespaces, excludeNamespaces, kindTexts } = options;
  const flags: readonly (readonly [string, string])[] = [
    ["hub", hub.origin],
    ["ca-file", ca === undefined ? "" : `${caFolder}/${caFile}`],
    ["cluster-id", clusterId],
    ["region", region],
    ["environment", environment],
    ["namespaces", namespaces.join(",")],
    ["exclude-namespaces", excludeNamespaces.join(",")],
    ["kinds", kindTexts.join(",")],
    ["object-reads", options.objectReads ? "true" : ""],
    ["access-reviews", options.accessReviews === false ? "false" : ""],
    ["join-token-file", `${joinFolder}/${joinTokenKey}`],
    ["admin-address", "0.0.0.0"],
    ["admin-port", String(healthPort)],
  ];
  const given = flags.filter(([, value]) => value !== "");
  return ["agent", ...given.map(([name, value]) => `--${name}=${value.replaceAll("$", "$$$$")}`)];
}

/** The join token is needed once: an agent that has its key starts without its Secret. */
function volumesOf({ ca, joinSecret }: AgentManifestOptions): readonly Readonly<Record<string, unknown>>[] {
  const token = {
    name: "join-token",
    secret: {
      secretName: joinSecret,
      optional: true,
      defaultMode: secretFileMode,
      items: [{ key: joinTokenKey, path: joinTokenKey }],
    },
  };
  return ca === undefined ? [token] : [token, { name: "hub-ca", configMap: { name: hubCaName } }];
}

/** The hub's certificate authority, the only one that the agent trusts for the hub. */
export function createHubCa(options: AgentManifestOptions, ca: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: hubCaName, namespace: agentNamespace, labels: labelsOf(options) },
    data: { [caFile]: ca },
  };
}
