// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PolicyTargetReferenceSchema } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import type { Fields } from "./row-fields.ts";

/** The workloads to which a policy applies (N-62). */
export interface PolicySelection {
  readonly scope: string;
  readonly selector: Record<string, string>;
  readonly targetRefs: MessageInitShape<typeof PolicyTargetReferenceSchema>[];
}

/** Reads the columns that `setSelection` of the kinds writes. */
export function toSelection(columns: Fields): PolicySelection {
  return {
    scope: columns.text("scope"),
    selector: columns.pairs("selector"),
    targetRefs: columns.parts("targetRefs").map((target) => ({
      group: target.text("group"),
      kind: target.text("kind"),
      name: target.text("name"),
      namespace: target.text("namespace"),
    })),
  };
}
