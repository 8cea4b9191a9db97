// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { QueryService, RelationsResponseSchema } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { toRelationLines } from "./relation-tree.ts";

/** One object of one cluster. */
export interface ObjectOfCluster {
  readonly cluster: string;
  /** As kubectl names it. */
  readonly kind: string;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** Prints what an object belongs to and what belongs to it as a tree (CL38). Throws NOT_FOUND if it is not visible. */
export async function showRelations(
  { io, output, transport, signal }: HubCall,
  address: ObjectOfCluster,
): Promise<void> {
  const answer = await createClient(QueryService, transport).relations({ ...address }, { signal });
  const text = toRelationLines(answer)
    .map((line) => `${toTerminalText(line)}\n`)
    .join("");
  await printResult(io.stdout, output, { value: toPlainJson(RelationsResponseSchema, answer), text });
  if (answer.isTruncated) say(io, "more objects are related than an answer can hold; the nearest ones are printed");
}
