// SPDX-License-Identifier: Apache-2.0
// What the Kubernetes kit is made of and where it is kept: real binaries for tests, built once per version and platform.
// Building is in kubernetes-build.ts; which kit a test run uses is decided in test/kubernetes/find-kit.ts.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * The versions of a kit that nobody asked to be another. `kubernetes` is the one minor we support now; etcd and kwok are
 * recent ones that were seen to work with it. Raise them together and run `npm run test:kubernetes`.
 */
export const kitVersions = { kubernetes: "v1.36.3", etcd: "v3.6.6", kwok: "v0.8.0" } as const;

/** One program of the kit: the name of its file and the Go package of its `main`. */
export interface KitProgram {
  readonly name: string;
  readonly package: string;
}

/** One Go module and the programs built from it. Each is built apart from the others: their dependencies clash. */
export interface KitModule {
  readonly path: string;
  readonly version: string;
  readonly programs: readonly KitProgram[];
  /** Texts that the linker puts into variables of the program, by the variable's full name. */
  readonly linkedTexts: Readonly<Record<string, string>>;
  /** The version of the modules that `path` requires at v0.0.0, because it has them in folders of its own. */
  readonly stagingVersion?: string;
  /** Files of the module that the programs need at run time, copied into `kwok-stages`. */
  readonly stageFiles: readonly string[];
}

/** How kwok makes Nodes and Pods ready, complete and gone; without any stage it ends at once. */
const kwokStages = [
  "kustomize/stage/node/fast/node-initialize.yaml",
  "kustomize/stage/node/heartbeat/node-heartbeat.yaml",
  "kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
  "kustomize/stage/pod/fast/pod-ready.yaml",
  "kustomize/stage/pod/fast/pod-complete.yaml",
  "kustomize/stage/pod/fast/pod-delete.yaml",
];

/** The folder beside the kwok binary that holds its stages. */
export const stagesFolder = "kwok-stages";

/** A failure that one sentence explains; shown without a stack. */
export class KitError extends Error {}

/** The Kubernetes version that scripts and tests use: FLOTILLA_KUBERNETES_VERSION, else ours. */
export function wantedVersion(env: NodeJS.ProcessEnv): string {
  return env["FLOTILLA_KUBERNETES_VERSION"] ?? kitVersions.kubernetes;
}

/** The parts of a version as we take it: a released patch version. Throws a KitError for anything else. */
export function parseKubernetesVersion(text: string): { readonly minor: string; readonly patch: string } {
  const [, minor, patch] = /^v1\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (minor === undefined || patch === undefined) {
    throw new KitError(`${JSON.stringify(text)} is not a Kubernetes version; write it like ${kitVersions.kubernetes}.`);
  }
  return { minor, patch };
}

/** The modules of the kit of that Kubernetes version. Building kubernetes' own takes most of the time, so it comes last. */
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

/** The cache of the user, by the rules of the XDG base directories: a relative path counts as none. */
export function cacheRoot(env: NodeJS.ProcessEnv): string {
  const given = env["XDG_CACHE_HOME"];
  return given !== undefined && isAbsolute(given) ? given : join(homedir(), ".cache");
}

/** Where the kit of that version for this platform is, or would be. `bin` in it holds the programs. */
export function kitFolder(env: NodeJS.ProcessEnv, kubernetesVersion: string): string {
  const platform = `${process.platform}-${process.arch}`;
  return join(cacheRoot(env), "flotilla", "kubernetes", `${kubernetesVersion}-${platform}`);
}

/** The content of `kit.json`, which is written last: a folder that holds exactly this is a whole kit of these versions. */
export function kitRecord(kubernetesVersion: string): string {
  return `${JSON.stringify({ ...kitVersions, kubernetes: kubernetesVersion, stages: kwokStages })}\n`;
}

/** True if the folder holds a whole kit of the versions we would build. */
export function isKitBuilt(folder: string, kubernetesVersion: string): boolean {
  const file = join(folder, "kit.json");
  return existsSync(file) && readFileSync(file, "utf8") === kitRecord(kubernetesVersion);
}

/**
 * The folder that KUBEBUILDER_ASSETS names, as other Kubernetes projects use it: whoever sets it has binaries already, and they are
 * used instead of ours. Undefined if it is not set; throws a KitError if the folder lacks one of the three programs it must hold.
 */
export function assetsFolder(env: NodeJS.ProcessEnv): string | undefined {
  const folder = env["KUBEBUILDER_ASSETS"];
  if (folder === undefined || folder === "") return undefined;
  const missing = ["kube-apiserver", "etcd", "kubectl"].filter((name) => !existsSync(join(folder, name)));
  if (missing.length === 0) return folder;
  throw new KitError(
    `KUBEBUILDER_ASSETS is ${folder}, which does not hold ${missing.join(", ")}; put them there or unset the variable.`,
  );
}
