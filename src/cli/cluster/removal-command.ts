// SPDX-License-Identifier: Apache-2.0

/** Names of the cluster-wide RBAC objects that `agent manifest` can create. */
const agentNames = ["flotilla-agent", "flotilla-agent-kinds"];

/**
 * The command that deletes the objects that Flotilla created in a cluster registered from this source; undefined if
 * there are none.
 */
export function removalCommand(source: string, context?: string): string | undefined {
  const kubectl = context === undefined ? "kubectl" : `kubectl --context '${context.replaceAll("'", "'\\''")}'`;
  switch (source) {
    case "agent":
      return `${kubectl} delete namespace/flotilla ${objectsNamed(agentNames)} --ignore-not-found`;
    case "kubeconfig":
      return `${kubectl} delete namespace/flotilla-import ${objectsNamed(["flotilla-import"])} --ignore-not-found`;
    default:
      return undefined;
  }
}

function objectsNamed(names: readonly string[]): string {
  return names.map((name) => `clusterrole/${name} clusterrolebinding/${name}`).join(" ");
}
