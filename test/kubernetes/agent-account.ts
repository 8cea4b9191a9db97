// SPDX-License-Identifier: Apache-2.0
// The agent's ServiceAccount in a real cluster: installed by kubectl as a user would, logged in with a token as its Pod
// has one.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { textOf } from "../../src/kinds/fields.ts";
import { type ClusterConnection, connectCluster } from "../../src/kube/connect-cluster.ts";
import { anonymousUser, type UserAccess } from "../../src/kube/credentials/cluster-access.ts";
import { kubeconfigAccess } from "../../src/kube/credentials/load-kubeconfig.ts";
import type { KubernetesKit } from "./find-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import type { KubernetesCluster } from "./start-cluster.ts";

/** As RBAC and the audit log know it. */
export const agentAccount = "system:serviceaccount:flotilla:flotilla-agent";

/** `kubectl apply -f -`, refusing any field that the server does not know. What it says. */
export async function applyManifest(kit: KubernetesKit, cluster: KubernetesCluster, manifest: string): Promise<string> {
  const args = ["--kubeconfig", cluster.kubeconfigFile, "apply", "--validate=strict", "-f", "-"];
  const kubectl = spawn(kit.kubectl, args, { stdio: ["pipe", "pipe", "pipe"] });
  kubectl.stdin.end(manifest);
  const ended = new Promise<number | null>((resolve, reject) => kubectl.on("close", resolve).on("error", reject));
  const [said, complaint, code] = await Promise.all([text(kubectl.stdout), text(kubectl.stderr), ended]);
  if (code !== 0 || complaint !== "") throw new Error(`kubectl apply ended with ${code}: ${complaint}`);
  return said;
}

/** A credential of the ServiceAccount. */
export async function issueAgentToken(admin: KubeClient): Promise<string> {
  const path = "/api/v1/namespaces/flotilla/serviceaccounts/flotilla-agent/token";
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  return textOf(await admin.ask("POST", path, { body }), "status", "token") ?? "";
}

/** An agent's connection to the cluster that shows this token, or this user. Close it, or it stays. */
export async function connectAgentAs(
  cluster: KubernetesCluster,
  user: Partial<UserAccess>,
): Promise<ClusterConnection> {
  const access = await kubeconfigAccess({ file: cluster.kubeconfigFile, environment: {} })();
  return connectCluster({
    access: { ...access, user: { ...anonymousUser, ...user } },
    clock: systemClock,
    userAgent: "flotilla-agent/test",
    environment: {},
  });
}
