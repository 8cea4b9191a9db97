// SPDX-License-Identifier: Apache-2.0
import { delimiter, join } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { kubeconfigBoundBytes } from "./kubeconfig-document.ts";
import { type Kubeconfig, type KubeconfigFile, parseKubeconfig, resolveContext } from "./parse-kubeconfig.ts";
import { readBounded, systemCodeOf } from "./read-bounded.ts";

/** The environment as passed down from main. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Which kubeconfig: the file of a flag, else the files of KUBECONFIG, else `~/.kube/config`. */
export interface KubeconfigPlace {
  readonly file?: string | undefined;
  readonly environment: Environment;
}

/**
 * Loads and merges the kubeconfig of that place. A file named by the flag must exist. Missing files of KUBECONFIG are
 * skipped, as in kubectl, but one must exist. Throws CONFIG_INVALID.
 */
export async function loadKubeconfig({ file, environment }: KubeconfigPlace): Promise<Kubeconfig> {
  if (file !== undefined) return await parseKubeconfig([await loadFile(file)]);
  const paths = pathsOf(environment);
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    const found = await loadFileIfThere(path);
    if (found !== undefined) files.push(found);
  }
  if (files.length === 0) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `no kubeconfig found at ${paths.join(" or ")}; name one with --kubeconfig or KUBECONFIG`,
    );
  }
  return await parseKubeconfig(files);
}

/**
 * Returns a function that loads the access of one context, or of the current one, from the files at each call. For
 * `reload` of a connection.
 */
export function kubeconfigAccess(place: KubeconfigPlace, context?: string): () => Promise<ClusterAccess> {
  return async () => resolveContext(await loadKubeconfig(place), context);
}

function pathsOf(environment: Environment): string[] {
  const named = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  if (named.length > 0) return [...new Set(named)];
  return [join(environment["HOME"] ?? environment["USERPROFILE"] ?? ".", ".kube", "config")];
}

async function loadFileIfThere(path: string): Promise<KubeconfigFile | undefined> {
  try {
    return await loadFile(path);
  } catch (reason) {
    if (reason instanceof FlotillaError && systemCodeOf(reason.cause) === "ENOENT") return undefined;
    throw reason;
  }
}

async function loadFile(path: string): Promise<KubeconfigFile> {
  try {
    return { path, text: await readBounded(path, kubeconfigBoundBytes) };
  } catch (reason) {
    const why = systemCodeOf(reason) === "ENOENT" ? "does not exist" : "cannot be read";
    throw new FlotillaError("CONFIG_INVALID", `the kubeconfig ${path} ${why}`, { cause: reason });
  }
}
