// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ClusterMetadata } from "../../gen/flotilla/session/v1/session_pb.ts";
import { assertClusterLabels } from "../../model/cluster-labels.ts";
import { quote } from "../../model/text.ts";
import type { MetadataFacts } from "./parsed-request.ts";

/** Most characters of a region or version: longer than any Kubernetes label. */
const maxTextLength = 256;

function checkText(what: string, text: string): string {
  // oxlint-disable-next-line no-control-regex
  const isFit = text.length <= maxTextLength && text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text);
  if (!isFit)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `${what} ${quote(text.slice(0, 64))} holds a control character or has more than ${maxTextLength} characters`,
    );
  return text;
}

/**
 * Checks the cluster metadata of an agent; missing parts are empty. Throws INVALID_ARGUMENT naming the invalid part.
 */
export function parseMetadata(metadata: ClusterMetadata | undefined): MetadataFacts {
  const labels = new Map(Object.entries(metadata?.labels ?? {}));
  assertClusterLabels(labels);
  return {
    region: checkText("region", metadata?.region ?? ""),
    environment: checkText("environment", metadata?.environment ?? ""),
    version: checkText("version", metadata?.version ?? ""),
    kubernetesVersion: checkText("kubernetes version", metadata?.kubernetesVersion ?? ""),
    labels,
  };
}
