// SPDX-License-Identifier: Apache-2.0

import { renderAgentManifest } from "../../agent/manifest/agent-manifest.ts";
import { createJoinManifest } from "../../agent/manifest/join-manifest.ts";
import type { JoinManifest } from "../../hub/joining/join-route.ts";
import { chooseKinds } from "../../kinds/choose-kinds.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { defaultImageName } from "../../model/image-name.ts";

/** Settings shared by all manifests of a hub. */
export interface ManifestDefaults {
  readonly agentImage: string | undefined;
  readonly agentImagePullSecrets: readonly string[];
  readonly version: string;
}

/** The manifest for the agent of a cluster that joins by URL (IN13). Secret: it contains the join token. */
export function renderJoinManifest(wanted: JoinManifest, defaults: ManifestDefaults): string {
  const { agentImage, version } = defaults;
  const { chosen, derived } = chooseKinds({ kinds: [], excludeKinds: [] });
  const options = {
    ...defaults,
    ...wanted,
    clusterId: parseClusterId(wanted.clusterId),
    hub: new URL(wanted.hubUrl),
    namespaces: [],
    excludeNamespaces: [],
    kinds: [...chosen, ...derived],
    readsAsViewer: false,
    kindTexts: [],
    constrainedImpersonation: false,
    image: agentImage ?? defaultImageName(version),
    joinSecret: "flotilla-join-token",
  };
  return renderAgentManifest(createJoinManifest(options, wanted.joinToken));
}
