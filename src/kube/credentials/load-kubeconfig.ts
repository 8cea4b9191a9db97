// SPDX-License-Identifier: Apache-2.0
import { delimiter, join } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { kubeconfigBoundBytes } from "./kubeconfig-document.ts";
import { type Kubeconfig, type KubeconfigFile, parseKubeconfig, resolveContext } from "./parse-kubeconfig.ts";
import { readBounded, systemCodeOf } from "./read-bounded.ts";

/** The environment as main handed it down. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Which kubeconfig: the file of a flag, else those of KUBECONFIG, else `~/.kube/config`. */
export interface KubeconfigPlace {
  readonly file?: string | undefined;
  readonly environment: Environment;
}

/**
 * Reads and merges the kubeconfig of that place. A file named by the flag must be there; of those of KUBECONFIG the missing ones are passed
 * over, as in kubectl, but one must be there. Throws CONFIG_INVALID.
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
      `no kubeconfig is at ${paths.join(" or ")}; name one with --kubeconfig or KUBECONFIG`,
    );
  }
  return await parseKubeconfig(files);
}

/** The access of one context, or of the current one, read from the files anew with each call: what `reload` of a connection takes. */
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
    const why = systemCodeOf(reason) === "ENOENT" ? "is not there" : "cannot be read";
    throw new FlotillaError("CONFIG_INVALID", `the kubeconfig ${path} ${why}`, { cause: reason });
  }
}
