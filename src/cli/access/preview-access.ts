// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { type AccessChange, PreviewAccessResponseSchema, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { renderTable } from "../output/text-table.ts";
import { viewerName } from "./list-viewers.ts";
import { parseRbacDocuments } from "./rbac-documents.ts";

/** A file of RBAC objects. */
export interface RbacFile {
  /** For messages. */
  readonly path: string;
  readonly text: string;
}

/** Prints which rows would appear or disappear for users if the objects were applied (CL39). Changes nothing. */
export async function previewAccess(call: HubCall, cluster: string, { path, text: given }: RbacFile): Promise<void> {
  const { io, output, transport, signal } = call;
  const objects = [...(await parseRbacDocuments(path, given))];
  const answer = await createClient(QueryService, transport).previewAccess({ cluster, objects }, { signal });
  // A kind without objects would be listed for each user that could see them.
  const rows = answer.changes.filter((each) => each.visibleBefore !== each.visibleAfter).map(toChangeRow);
  const titles = ["KIND", "NAME", "SEES", "BEFORE", "AFTER", "SUCH AS"];
  const text = rows.length === 0 ? "nothing would appear or disappear\n" : renderTable(titles, rows);
  await printResult(io.stdout, output, { value: toPlainJson(PreviewAccessResponseSchema, answer), text });
  if (answer.leftOutCount > 0n) say(io, `${answer.leftOutCount} more changes are left out`);
}

function toChangeRow({ viewer, kind, resource, visibleBefore, visibleAfter, samples }: AccessChange): string[] {
  const [sample] = samples;
  return [
    viewer?.kind ?? "",
    viewer === undefined ? "" : viewerName(viewer),
    kind === "" ? resource : kind,
    String(visibleBefore),
    String(visibleAfter),
    [sample?.namespace ?? "", sample?.name ?? ""].filter((part) => part !== "").join("/"),
  ];
}
