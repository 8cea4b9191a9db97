// SPDX-License-Identifier: Apache-2.0
import { resolve } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import { loadKubeconfig } from "../../kube/credentials/load-kubeconfig.ts";
import { type Kubeconfig, resolveContext, selectContexts } from "../../kube/credentials/parse-kubeconfig.ts";
import { isDnsLabel } from "../../model/dns-name.ts";
import { quote } from "../../model/text.ts";
import type { AgentCluster } from "../hub/fleet-agents.ts";

export interface AdoptOptions {
  /** `--kubeconfig`; undefined adopts nothing. */
  readonly kubeconfig: string | undefined;
  /** `--context`: a glob; undefined for the current one. */
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The clusters that `flotilla up` adopts: one for each matching context, with the context's name. Connects to nothing.
 * Throws CONFIG_INVALID.
 */
export async function adoptContexts({
  kubeconfig,
  context,
  environment,
}: AdoptOptions): Promise<readonly AgentCluster[]> {
  if (kubeconfig === undefined) {
    if (context === undefined) return [];
    throw new FlotillaError("CONFIG_INVALID", "--context is given without --kubeconfig; give both or neither");
  }
  const config = await loadKubeconfig({ file: kubeconfig, environment });
  const names = namesOf(config, kubeconfig, context);
  return names.map((name) => {
    resolveContext(config, name); // reports a broken context now and not in an agent's log
    if (!isDnsLabel(name)) {
      throw new FlotillaError(
        "CONFIG_INVALID",
        `context ${quote(name)} of ${kubeconfig} cannot be a cluster name, which is at most 63 lower-case letters, digits and inner dashes; rename it with \`kubectl config rename-context\`, or exclude it with --context`,
      );
    }
    return { id: name, region: "", environment: "", kubeconfig: resolve(kubeconfig), context: name };
  });
}

function namesOf(config: Kubeconfig, file: string, glob: string | undefined): readonly string[] {
  if (glob === undefined) return [resolveContext(config).name];
  const names = selectContexts(config, glob);
  if (names.length > 0) return names;
  throw new FlotillaError(
    "CONFIG_INVALID",
    `no context of ${file} matches --context ${quote(glob)}; \`kubectl config get-contexts\` lists the contexts`,
  );
}
