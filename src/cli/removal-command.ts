// SPDX-License-Identifier: Apache-2.0

/**
 * The command that deletes the objects that Flotilla created in a cluster registered from this source; undefined if
 * there are none.
 */
export function removalCommand(source: string, context?: string): string | undefined {
  const kubectl = context === undefined ? "kubectl" : `kubectl --context '${context.replaceAll("'", "'\\''")}'`;
  switch (source) {
    case "agent":
      return `${kubectl} delete namespace/flotilla clusterrole/flotilla-agent clusterrolebinding/flotilla-agent --ignore-not-found`;
    case "kubeconfig":
      return `${kubectl} delete namespace/flotilla-import clusterrole/flotilla-import clusterrolebinding/flotilla-import --ignore-not-found`;
    default:
      return undefined;
  }
}
