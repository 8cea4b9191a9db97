// SPDX-License-Identifier: Apache-2.0

/** The command that removes what Flotilla has put into a cluster that was registered from this source; undefined where it put nothing there. */
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
