// SPDX-License-Identifier: Apache-2.0
import { keysOf, textOf } from "../fields.ts";
import { type ClusterFacts, type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { istioStatus } from "./istio-status.ts";
import { selectionColumns, setSelection } from "./workload-selection.ts";

/**
 * PeerAuthentications: whether workloads accept only mutual TLS (N-18). An absent mode is inherited from the next wider
 * scope.
 */
export const peerAuthenticationKind: Kind = {
  resource: { group: "security.istio.io", resource: "peerauthentications" },
  kind: "PeerAuthentication",
  versions: ["v1", "v1beta1"],
  isNamespaced: true,
  isConfiguration: true,
  usesFacts: true,
  columns: [
    ...selectionColumns,
    { name: "mode", type: "string", isMain: true },
    { name: "portModes", type: "stringList", isJson: true },
  ],
  project: projectPeerAuthentication,
};

function projectPeerAuthentication(object: unknown, facts: ClusterFacts): Projected {
  const columns: Columns = new Map();
  setSelection(columns, object, facts);
  setColumn(columns, "mode", textOf(object, "spec", "mtls", "mode"));
  setColumn(columns, "portModes", jsonTexts(portModesOf(object)));
  return { columns, ...istioStatus(object) };
}

/** The modes by port number, sorted. A key that is not a number is ignored. */
function portModesOf(object: unknown): readonly { readonly port: number; readonly mode: string | undefined }[] {
  return keysOf(object, "spec", "portLevelMtls")
    .filter((key) => /^\d{1,5}$/.test(key))
    .map((key) => ({ port: Number(key), mode: textOf(object, "spec", "portLevelMtls", key, "mode") }))
    .sort((a, b) => a.port - b.port);
}
