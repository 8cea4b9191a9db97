// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { awaitReady } from "../kubernetes/await-ready.ts";
import { findKit, type KubernetesKit } from "../kubernetes/find-kit.ts";
import { findFreePorts } from "../kubernetes/free-ports.ts";
import { KitProcess } from "../kubernetes/kit-process.ts";
import { type KubernetesCluster, startCluster } from "../kubernetes/start-cluster.ts";
import { type ServerUnderTest, users } from "./server-under-test.ts";

/** How long the controllers may take to end when asked. */
const stopLimitMs = 5_000;

/** A real kube-apiserver. */
export interface Oracle extends ServerUnderTest, AsyncDisposable {
  /** `v1.36.3`. */
  readonly version: string;
}

/**
 * Starts a real server with the two controllers that ours has inside. All others would change objects behind the back
 * of a scenario.
 */
export async function startOracle(kit: KubernetesKit | undefined = findKit()): Promise<Oracle> {
  if (kit?.controllers === undefined) throw new Error("the Kubernetes kit with its controllers is not built");
  const cluster = await startCluster({ kit, users: users.filter(({ name }) => name !== "admin") });
  const controllers = await startControllers(kit.controllers.manager, cluster).catch(async (reason: unknown) => {
    await cluster.stop();
    throw reason;
  });
  const close = async (): Promise<void> => {
    await controllers.stop(systemClock, stopLimitMs);
    await cluster.stop();
  };
  return {
    url: cluster.url,
    ca: readFileSync(cluster.caFile, "utf8"),
    version: cluster.version,
    token: (user) => cluster.tokenOf(user),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function startControllers(program: string, cluster: KubernetesCluster): Promise<KitProcess> {
  const folder = dirname(cluster.caFile);
  const [port = 0] = await findFreePorts(1);
  const args = [
    `--kubeconfig=${cluster.kubeconfigFile}`,
    "--controllers=namespace-controller,garbage-collector-controller",
    "--leader-elect=false",
    // Its own limit of 20 requests a second would make scenarios wait for each other.
    "--kube-api-qps=1000",
    "--kube-api-burst=1000",
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${join(folder, "server.crt")}`,
    `--tls-private-key-file=${join(folder, "server.key")}`,
  ];
  const controllers = new KitProcess(program, args, folder);
  const ca = readFileSync(cluster.caFile, "utf8");
  const url = `https://127.0.0.1:${port}/healthz`;
  try {
    await awaitReady({ process: controllers, url, ca, clock: systemClock, signal: new AbortController().signal });
  } catch (reason) {
    await controllers.stop(systemClock, 0);
    throw reason;
  }
  return controllers;
}
