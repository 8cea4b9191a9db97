// SPDX-License-Identifier: Apache-2.0
// Which programs make a cluster, how each is called, and where each says that it is ready.
import { join } from "node:path";
import type { ClusterFiles } from "./cluster-files.ts";
import type { KubernetesKit } from "./find-kit.ts";

/** One program to start. */
export interface ClusterProgram {
  readonly program: string;
  readonly args: readonly string[];
  /** Answers 200 once the program is ready. */
  readonly readyUrl: string;
}

/** Loopback ports, all different. */
export interface ClusterPorts {
  readonly apiserver: number;
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly manager: number;
  readonly scheduler: number;
  readonly kwok: number;
}

/**
 * How etcd keeps what is written: `memorySpeed` skips fsync, which tests need not wait for; benches must not skip it.
 */
export type EtcdDurability = "memorySpeed" | "fsync";

/** etcd with one member, on this machine only. */
export function etcdProgram(
  kit: KubernetesKit,
  files: ClusterFiles,
  ports: ClusterPorts,
  durability: EtcdDurability,
): ClusterProgram {
  const clientUrl = `http://127.0.0.1:${ports.etcdClient}`;
  const peerUrl = `http://127.0.0.1:${ports.etcdPeer}`;
  return {
    program: kit.etcd,
    args: [
      "--name=kit",
      `--data-dir=${join(files.folder, "etcd")}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=kit=${peerUrl}`,
      `--unsafe-no-fsync=${durability === "memorySpeed"}`,
    ],
    readyUrl: `${clientUrl}/health`,
  };
}

/** kube-apiserver with RBAC as its one authorizer. */
export function apiserverProgram(
  kit: KubernetesKit,
  files: ClusterFiles,
  ports: ClusterPorts,
  moreFlags: readonly string[],
): ClusterProgram {
  return {
    program: kit.kubeApiserver,
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcdClient}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${ports.apiserver}`,
      `--tls-cert-file=${files.certificateFile}`,
      `--tls-private-key-file=${files.certificateKeyFile}`,
      "--service-account-issuer=https://kit.invalid",
      `--service-account-key-file=${files.accountPublicKeyFile}`,
      `--service-account-signing-key-file=${files.accountKeyFile}`,
      "--service-cluster-ip-range=10.0.0.0/24",
      `--token-auth-file=${files.tokenFile}`,
      "--authorization-mode=RBAC",
      "--endpoint-reconciler-type=none",
      "--allow-privileged",
      // With open watches it would drain for up to a minute before it ends.
      "--shutdown-delay-duration=0",
      ...moreFlags,
    ],
    readyUrl: `https://127.0.0.1:${ports.apiserver}/readyz`,
  };
}

/** The controllers and the scheduler. Both run alone, so nobody is elected. */
export function controllerPrograms(
  controllers: NonNullable<KubernetesKit["controllers"]>,
  files: ClusterFiles,
  ports: ClusterPorts,
): readonly ClusterProgram[] {
  const shared = [
    `--kubeconfig=${files.kubeconfigFile}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--tls-cert-file=${files.certificateFile}`,
    `--tls-private-key-file=${files.certificateKeyFile}`,
  ];
  const manager = [
    ...shared,
    `--secure-port=${ports.manager}`,
    `--service-account-private-key-file=${files.accountKeyFile}`,
    `--root-ca-file=${files.caFile}`,
    // On a busy machine kwok has no time for the sign of life of its Node, and all Pods on it would be called not
    // ready, a few each second.
    "--node-monitor-grace-period=1h",
  ];
  const scheduler = [...shared, `--secure-port=${ports.scheduler}`];
  return [
    { program: controllers.manager, args: manager, readyUrl: `https://127.0.0.1:${ports.manager}/healthz` },
    { program: controllers.scheduler, args: scheduler, readyUrl: `https://127.0.0.1:${ports.scheduler}/healthz` },
  ];
}

/** kwok, which plays the kubelet of every Node there is. */
export function kwokProgram(
  kwok: NonNullable<KubernetesKit["kwok"]>,
  files: ClusterFiles,
  ports: ClusterPorts,
): ClusterProgram {
  const address = `127.0.0.1:${ports.kwok}`;
  return {
    program: kwok.program,
    args: [
      `--kubeconfig=${files.kubeconfigFile}`,
      "--manage-all-nodes=true",
      `--server-address=${address}`,
      ...kwok.stageFiles.map((file) => `--config=${file}`),
    ],
    readyUrl: `http://${address}/healthz`,
  };
}
