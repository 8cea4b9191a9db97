// SPDX-License-Identifier: Apache-2.0
import { stringify } from "yaml";
import { FlotillaError } from "../../base/error.ts";
import { agentKeySecretName } from "../identity/secret-identity-store.ts";
import { createAccessObjects } from "./access-objects.ts";
import { createAgentDeployment, createHubCa } from "./agent-deployment.ts";
import { type AgentManifestOptions, agentNamespace, type KubeObject, labelsOf } from "./manifest-options.ts";

/**
 * The objects that install an agent, in the order in which they can be applied. Pure. They contain no secret: the join
 * token is referred to by the name of its Secret. Throws INVALID_ARGUMENT if that Secret is the one for the agent's
 * key.
 */
export function createAgentManifest(options: AgentManifestOptions): readonly KubeObject[] {
  if (options.joinSecret === agentKeySecretName)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `the Secret ${agentKeySecretName} is where the agent keeps its key; give the join token one of its own`,
    );
  return [
    createNamespace(options),
    ...createAccessObjects(options),
    ...(options.ca === undefined ? [] : [createHubCa(options, options.ca)]),
    createAgentDeployment(options),
  ];
}

/** Enforces the Pod Security Standard `restricted`, which the agent's Pod satisfies. */
function createNamespace(options: AgentManifestOptions): KubeObject {
  const labels = { ...labelsOf(options), "pod-security.kubernetes.io/enforce": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: agentNamespace, labels } };
}

/**
 * The objects as one YAML text, a document each. kubectl reads YAML 1.1, so texts that have another type there, such as
 * `no`, are quoted.
 */
export function renderAgentManifest(objects: readonly KubeObject[]): string {
  const form = { lineWidth: 0, aliasDuplicateObjects: false, compat: "yaml-1.1" } as const;
  return objects.map((object) => `---\n${stringify(object, form)}`).join("");
}
