// SPDX-License-Identifier: Apache-2.0
import { createAgentManifest } from "./agent-manifest.ts";
import {
  type AgentManifestOptions,
  agentNamespace,
  joinTokenKey,
  type KubeObject,
  labelsOf,
} from "./manifest-options.ts";

/**
 * The agent's manifest with the Secret of its join token after the Namespace. Confidential: a reader can register the
 * cluster, once. Throws as `createAgentManifest`.
 */
export function createJoinManifest(options: AgentManifestOptions, joinToken: string): readonly KubeObject[] {
  const [namespace, ...rest] = createAgentManifest(options);
  const secret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: options.joinSecret, namespace: agentNamespace, labels: labelsOf(options) },
    type: "Opaque",
    stringData: { [joinTokenKey]: joinToken },
  };
  return namespace === undefined ? [secret] : [namespace, secret, ...rest];
}
