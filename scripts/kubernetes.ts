// SPDX-License-Identifier: Apache-2.0
// `npm run kubernetes [-- VERSION]`: builds a real Kubernetes for tests, once; silent if it exists. Default version:
// FLOTILLA_KUBERNETES_VERSION, else the one in kubernetes-kit.ts. Tests find the kit by the same variable.
import { constants, setPriority } from "node:os";
import { buildKit } from "./kubernetes-build.ts";
import { assetsFolder, KitError, parseKubernetesVersion, wantedVersion } from "./kubernetes-kit.ts";

async function main(args: readonly string[]): Promise<void> {
  if (args.length > 1) throw new KitError("usage: npm run kubernetes [-- VERSION]");
  const kubernetesVersion = args[0] ?? wantedVersion(process.env);
  parseKubernetesVersion(kubernetesVersion);
  // KUBEBUILDER_ASSETS replaces the kit, so there is nothing to build.
  if (args.length === 0 && assetsFolder(process.env) !== undefined) return;
  // Child processes inherit it: the build runs at low priority.
  setPriority(constants.priority.PRIORITY_LOW);
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, () => stopping.abort(new KitError(`stopped by ${name}; nothing was left behind.`)));
  }
  const say = (line: string): void => console.log(`kubernetes: ${line}`);
  await buildKit({ env: process.env, kubernetesVersion, say, signal: stopping.signal });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(`kubernetes: ${error instanceof KitError ? error.message : error.stack}`);
  process.exitCode = 1;
}
