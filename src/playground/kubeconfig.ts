// SPDX-License-Identifier: Apache-2.0
import { stringify } from "yaml";
import type { PlaygroundState } from "./playground.ts";

const encoder = new TextEncoder();

/** A kubeconfig with one context for each cluster, named after it. The first context is the current one. */
export function kubeconfigText(clusters: readonly PlaygroundState[]): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": clusters[0]?.name ?? "",
    clusters: clusters.map(({ name, url, ca }) => ({
      name,
      cluster: { server: url, "certificate-authority-data": encoder.encode(ca).toBase64() },
    })),
    users: clusters.map(({ name, adminToken }) => ({ name: `${name}-admin`, user: { token: adminToken } })),
    contexts: clusters.map(({ name }) => ({
      name,
      context: { cluster: name, user: `${name}-admin`, namespace: "default" },
    })),
  });
}
