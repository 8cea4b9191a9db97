// SPDX-License-Identifier: Apache-2.0
import { createImportAccount } from "../../agent/manifest/import-account-objects.ts";
import { systemClock } from "../../base/time/system-clock.ts";
import type { CreateAccount } from "../../cli/cluster/cluster-import.ts";
import { createAccountToken } from "../../cli/cluster/create-import-account.ts";
import { chooseKinds } from "../../kinds/choose-kinds.ts";
import { connectCluster } from "../../kube/connect-cluster.ts";
import type { Runtime } from "../verbs/verb.ts";

/**
 * Creates service accounts with an agent's rights. It connects with the operator's credential, which may come from an
 * exec plugin.
 */
export function createImportedAccount(
  { objectReads }: { readonly objectReads: boolean },
  { io, version }: Pick<Runtime, "io" | "version">,
): CreateAccount {
  const { chosen, derived } = chooseKinds({ kinds: [], excludeKinds: [] });
  const objects = createImportAccount({ kinds: [...chosen, ...derived], objectReads, version: version.version });
  return async (access, onMade, signal) => {
    const userAgent = `flotilla/${version.version}`;
    await using source = connectCluster({ access, clock: systemClock, userAgent, environment: io.env });
    return await createAccountToken({ source, objects, clock: systemClock, onMade }, signal);
  };
}
