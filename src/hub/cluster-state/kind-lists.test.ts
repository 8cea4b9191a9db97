// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ClusterStateSchema } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { istioControlPlaneKind } from "../../kinds/istio/control-plane.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { rowColumnsOf } from "../../kinds/testing/sample-rows.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { ColumnValue } from "../../model/rows/row.ts";
import { kindLists } from "./kind-lists.ts";
import { metadata, preparedKinds, rowOf } from "./testing/prepared-cluster.ts";

/** Remembers which columns were asked for. */
class AskedColumns extends Map<string, ColumnValue> {
  readonly asked = new Set<string>();

  override get(name: string): ColumnValue | undefined {
    this.asked.add(name);
    return super.get(name);
  }
}

/** Columns that the message leaves out: they say again what another says, or are for tables alone. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  // What `kubectl get -o wide` shows besides; N-11 asks for neither.
  Pod: ["nominatedNode", "readinessGates", "printStatus", "lastRestartAt"],
  Service: ["externalIpCount"],
  RequestAuthentication: ["issuers"],
  // Istio's Sidecars are attached to nothing; the column comes with the selection that they share with policies.
  Sidecar: ["targetRefs"],
};

const kinds = [...preparedKinds, istioControlPlaneKind];

test.each(kinds.map((kind) => [kind.kind, kind] as const))(
  "[N-8] every column of a %s that is not left out on purpose is in its message, and no other is looked for",
  (name, kind) => {
    const columns = new AskedColumns();
    const { row } = rowOf(podKind, { metadata: metadata("x") });
    kindLists.get(resourceIdText(kind.resource))?.readRow({ ...row, columns });
    const declared = rowColumnsOf(kind).map((column) => column.name);
    expect([...columns.asked, ...(leftOut[name] ?? [])].sort()).toEqual([...declared].sort());
  },
);

test("[N-8] every list of the message beside coverage and readings belongs to one kind", () => {
  const lists = ClusterStateSchema.fields.filter((field) => field.fieldKind === "list").map(({ name }) => name);
  expect(lists.length - 2).toBe(kindLists.size);
  expect(Array.from(kindLists.values(), ({ kind }) => kind).sort()).toEqual(kinds.map(({ kind }) => kind).sort());
});
