// SPDX-License-Identifier: Apache-2.0
// The contents and location of the Kubernetes kit: real binaries for tests, built once per version and platform.
// kubernetes-build.ts builds it; test/kubernetes/find-kit.ts decides which kit a test run uses.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * The default versions of the kit. `kubernetes` is the supported minor version; etcd and kwok are recent versions
 * tested with it. Raise them together and run `npm run test:kubernetes`.
 */
export const kitVersions = { kubernetes: "v1.36.3", etcd: "v3.6.6", kwok: "v0.8.0" } as const;

/**
 * The oldest supported Kubernetes, on which `npm run test:access` runs. Not part of `kitVersions`, which every kit
 * records.
 */
export const oldestKubernetes = "v1.34.4";

/** One program of the kit: its file name and the Go package of its `main`. */
export interface KitProgram {
  readonly name: string;
  readonly package: string;
}

/** One Go module and the programs built from it. Modules are built separately, because their dependencies conflict. */
export interface KitModule {
  readonly path: string;
  readonly version: string;
  readonly programs: readonly KitProgram[];
  /** Values that the linker sets in variables of the program, by the variable's full name. */
  readonly linkedTexts: Readonly<Record<string, string>>;
  /** The version for modules that `path` requires at v0.0.0 because they are in its own folders. */
  readonly stagingVersion?: string;
  /** Files of the module that the programs need at run time, copied into `kwok-stages`. */
  readonly stageFiles: readonly string[];
}

/** kwok's stages that make Nodes and Pods ready, complete and deleted. Without stages kwok exits at once. */
const kwokStages = [
  "kustomize/stage/node/fast/node-initialize.yaml",
  "kustomize/stage/node/heartbeat/node-heartbeat.yaml",
  "kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
  "kustomize/stage/pod/fast/pod-ready.yaml",
  "kustomize/stage/pod/fast/pod-complete.yaml",
  "kustomize/stage/pod/fast/pod-delete.yaml",
];

/** The folder with kwok's stages, beside its binary. */
export const stagesFolder = "kwok-stages";

/** An error whose message is complete; shown without a stack. */
export class KitError extends Error {}

/** The Kubernetes version for scripts and tests: FLOTILLA_KUBERNETES_VERSION, else the default. */
export function wantedVersion(env: NodeJS.ProcessEnv): string {
  return env["FLOTILLA_KUBERNETES_VERSION"] ?? kitVersions.kubernetes;
}

/** Parses a released patch version. Throws a KitError for anything else. */
export function parseKubernetesVersion(text: string): { readonly minor: string; readonly patch: string } {
  const [, minor, patch] = /^v1\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (minor === undefined || patch === undefined) {
    throw new KitError(`${JSON.stringify(text)} is not a Kubernetes version; write it like ${kitVersions.kubernetes}.`);
  }
  return { minor, patch };
}

/**
 * The modules of the kit for a Kubernetes version. Kubernetes itself comes last, because it takes most of the build
 * time.
 */
export function kitModules(kubernetesVersion: string): readonly KitModule[] {
  const { minor, patch } = parseKubernetesVersion(kubernetesVersion);
  const versionPackage = "k8s.io/component-base/version";
  const command = (name: string): KitProgram => ({ name, package: `k8s.io/kubernetes/cmd/${name}` });
  return [
    {
      path: "go.etcd.io/etcd/server/v3",
      version: kitVersions.etcd,
      programs: [{ name: "etcd", package: "go.etcd.io/etcd/server/v3" }],
      linkedTexts: {},
      stageFiles: [],
    },
    {
      path: "sigs.k8s.io/kwok",
      version: kitVersions.kwok,
      programs: [{ name: "kwok", package: "sigs.k8s.io/kwok/cmd/kwok" }],
      linkedTexts: {},
      stageFiles: kwokStages,
    },
    {
      path: "k8s.io/kubernetes",
      version: kubernetesVersion,
      programs: ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"].map(command),
      linkedTexts: {
        [`${versionPackage}.gitVersion`]: kubernetesVersion,
        [`${versionPackage}.gitMajor`]: "1",
        [`${versionPackage}.gitMinor`]: minor,
      },
      stagingVersion: `v0.${minor}.${patch}`,
      stageFiles: [],
    },
  ];
}

/** The user's cache folder by the XDG base directory rules; a relative path is ignored. */
export function cacheRoot(env: NodeJS.ProcessEnv): string {
  const given = env["XDG_CACHE_HOME"];
  return given !== undefined && isAbsolute(given) ? given : join(homedir(), ".cache");
}

/** The folder of the kit for that version and this platform, built or not. Its `bin` contains the programs. */
export function kitFolder(env: NodeJS.ProcessEnv, kubernetesVersion: string): string {
  const platform = `${process.platform}-${process.arch}`;
  return join(cacheRoot(env), "flotilla", "kubernetes", `${kubernetesVersion}-${platform}`);
}

/**
 * The content of `kit.json`, which is written last: a folder with exactly this content is a complete kit of these
 * versions.
 */
export function kitRecord(kubernetesVersion: string): string {
  return `${JSON.stringify({ ...kitVersions, kubernetes: kubernetesVersion, stages: kwokStages })}\n`;
}

/** True if the folder contains a complete kit of the versions that would be built. */
export function isKitBuilt(folder: string, kubernetesVersion: string): boolean {
  const file = join(folder, "kit.json");
  return existsSync(file) && readFileSync(file, "utf8") === kitRecord(kubernetesVersion);
}

/**
 * The folder in KUBEBUILDER_ASSETS, as in other Kubernetes projects: its binaries are used instead of the kit's.
 * Undefined if it is not set. Throws a KitError if one of the three required programs is missing.
 */
export function assetsFolder(env: NodeJS.ProcessEnv): string | undefined {
  const folder = env["KUBEBUILDER_ASSETS"];
  if (folder === undefined || folder === "") return undefined;
  const missing = ["kube-apiserver", "etcd", "kubectl"].filter((name) => !existsSync(join(folder, name)));
  if (missing.length === 0) return folder;
  throw new KitError(
    `KUBEBUILDER_ASSETS is ${folder}, which does not contain ${missing.join(", ")}; put them there or unset the variable.`,
  );
}
