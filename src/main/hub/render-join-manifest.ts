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
  const { ca, region, environment, objectReads, joinToken } = wanted;
  const { agentImage, agentImagePullSecrets, version } = defaults;
  const { chosen, derived } = chooseKinds({ kinds: [], excludeKinds: [] });
  const options = {
    hub: new URL(wanted.hubUrl),
    ca,
    clusterId: parseClusterId(wanted.clusterId),
    region,
    environment,
    namespaces: [],
    excludeNamespaces: [],
    kinds: [...chosen, ...derived],
    readsAsViewer: false,
    kindTexts: [],
    objectReads,
    constrainedImpersonation: false,
    image: agentImage ?? defaultImageName(version),
    agentImagePullSecrets,
    joinSecret: "flotilla-join-token",
    version,
  };
  return renderAgentManifest(createJoinManifest(options, joinToken));
}
