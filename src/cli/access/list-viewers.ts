// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { ListViewersResponseSchema, QueryService, type Viewer } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { renderTable } from "../output/text-table.ts";
import type { ObjectOfCluster } from "../query/show-relations.ts";

/** Prints the users, groups and service accounts that see an object, and the binding that shows it to them (CL39). */
export async function listViewers({ io, output, transport, signal }: HubCall, address: ObjectOfCluster): Promise<void> {
  const answer = await createClient(QueryService, transport).listViewers({ ...address }, { signal });
  const rows = answer.viewers.map((viewer) => [
    viewer.kind,
    viewerName(viewer),
    viewer.verb,
    viewer.role,
    viewer.binding,
  ]);
  const text =
    rows.length === 0 ? "no binding shows it\n" : renderTable(["KIND", "NAME", "VERB", "ROLE", "BINDING"], rows);
  await printResult(io.stdout, output, { value: toPlainJson(ListViewersResponseSchema, answer), text });
  if (answer.leftOutCount > 0n) say(io, `${answer.leftOutCount} more are left out`);
}

/** A service account with its namespace, as `kubectl` writes it: `shop/api`. */
export function viewerName({ namespace, name }: Viewer): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
