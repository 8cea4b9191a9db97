// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { ClusterMetadata } from "../../gen/flotilla/session/v1/session_pb.ts";
import { quote } from "../../model/text.ts";
import type { MetadataFacts } from "./parsed-request.ts";

/** Labels of one cluster; people write them by hand. */
const maxLabelCount = 64;

/** Characters of a region, version or label: longer than any Kubernetes label. */
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

/** What an agent says of its cluster, within bounds; everything is empty where it says nothing. Throws INVALID_ARGUMENT naming the part. */
export function parseMetadata(metadata: ClusterMetadata | undefined): MetadataFacts {
  const entries = Object.entries(metadata?.labels ?? {});
  if (entries.length > maxLabelCount)
    throw new FlotillaError("INVALID_ARGUMENT", `a cluster has ${entries.length} labels, the most is ${maxLabelCount}`);
  return {
    region: checkText("region", metadata?.region ?? ""),
    environment: checkText("environment", metadata?.environment ?? ""),
    version: checkText("version", metadata?.version ?? ""),
    kubernetesVersion: checkText("kubernetes version", metadata?.kubernetesVersion ?? ""),
    labels: new Map(entries.map(([key, value]) => [checkText("label", key), checkText("label value", value)])),
  };
}
