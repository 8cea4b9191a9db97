// SPDX-License-Identifier: Apache-2.0
// RBAC objects of a cluster, sent as its agent sends them.
import { resourceOf, rowOfObject } from "../../../index/access/testing/rbac-sample-rows.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { encodeRowBatch } from "../../../model/row-batch/encode.ts";
import type { Row } from "../../../model/rows/row.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import type { RbacObject } from "../../../rbac/rbac-types.ts";
import { hasher, plainCodec } from "../../fleet/testing/test-fleet.ts";
import { contentOf } from "../../index/testing/live-rig.ts";
import type { PageRig } from "./page-rig.ts";

const rbacColumns = [
  ...["rules", "subjects"].map((name) => ({ name, type: "stringList" as const })),
  ...["roleGroup", "roleKind", "roleName"].map((name) => ({ name, type: "string" as const })),
];

/** The row of an RBAC object. */
export function grantRow(cluster: string, object: RbacObject): Row {
  const { namespace, name, columns } = rowOfObject(object);
  const sealer = new RowSealer(parseClusterId(cluster), parseResourceId(resourceOf(object)), hasher);
  return sealer.seal(contentOf(name, { namespace, columns }));
}

/** Sends RBAC objects of a cluster, and lets the hub take them. */
export async function sendGrants(rig: PageRig, cluster: string, ...objects: readonly RbacObject[]): Promise<void> {
  for (const object of objects) {
    const rows = [grantRow(cluster, object)];
    const resource = resourceOf(object);
    const content = { resource: parseResourceId(resource), kind: object.kind, columns: rbacColumns, rows, deletes: [] };
    const bytes = await plainCodec.compress(encodeRowBatch(content, hasher));
    await rig.agent(cluster).flush([{ resource, rows, bytes }]);
  }
  await rig.clock.advance(1_000);
}

/** Sends that RBAC objects of a cluster were deleted, and lets the hub take it. */
export async function sendRevocations(rig: PageRig, cluster: string, ...objects: readonly RbacObject[]): Promise<void> {
  for (const object of objects) {
    const { namespace, name, uid } = grantRow(cluster, object);
    await rig.agent(cluster).flush([{ resource: resourceOf(object), deletes: [{ namespace, name, uid }] }]);
  }
  await rig.clock.advance(1_000);
}
