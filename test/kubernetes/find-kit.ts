// SPDX-License-Identifier: Apache-2.0
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { assetsFolder, isKitBuilt, kitFolder, stagesFolder, wantedVersion } from "../../scripts/kubernetes-kit.ts";

/** Real Kubernetes programs on this machine. */
export interface KubernetesKit {
  readonly kubeApiserver: string;
  readonly etcd: string;
  readonly kubectl: string;
  /**
   * The two programs that make Deployments into Pods and put them on Nodes; a folder of somebody else's may lack them.
   */
  readonly controllers: { readonly manager: string; readonly scheduler: string } | undefined;
  /** What plays the kubelets, with the files that say how. */
  readonly kwok: { readonly program: string; readonly stageFiles: readonly string[] } | undefined;
}

function ifThere(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}

function kitIn(folder: string): KubernetesKit {
  const manager = ifThere(join(folder, "kube-controller-manager"));
  const scheduler = ifThere(join(folder, "kube-scheduler"));
  const kwok = ifThere(join(folder, "kwok"));
  const stageFiles = globSync(join(folder, stagesFolder, "*.yaml")).toSorted();
  return {
    kubeApiserver: join(folder, "kube-apiserver"),
    etcd: join(folder, "etcd"),
    kubectl: join(folder, "kubectl"),
    controllers: manager === undefined || scheduler === undefined ? undefined : { manager, scheduler },
    kwok: kwok === undefined || stageFiles.length === 0 ? undefined : { program: kwok, stageFiles },
  };
}

/**
 * The kit to test with: the folder of KUBEBUILDER_ASSETS if that is set, else what `npm run kubernetes` has built for
 * the wanted version; undefined if neither is there. Throws a KitError if KUBEBUILDER_ASSETS names a folder without the
 * programs: a run that silently used other programs would prove the wrong thing.
 */
export function findKit(env: NodeJS.ProcessEnv = process.env): KubernetesKit | undefined {
  const assets = assetsFolder(env);
  if (assets !== undefined) return kitIn(assets);
  const version = wantedVersion(env);
  const folder = kitFolder(env, version);
  return isKitBuilt(folder, version) ? kitIn(join(folder, "bin")) : undefined;
}
