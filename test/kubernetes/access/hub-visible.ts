// SPDX-License-Identifier: Apache-2.0
import { createClient, type Transport } from "@connectrpc/connect";
import { QueryService } from "../../../src/gen/flotilla/query/v1/query_pb.ts";

/** The most that a page can have. */
const pageLimit = 500;

/** Every row that the hub lists for the user of a connection, as `namespace/name` by resource. */
export async function listVisible(transport: Transport, query = ""): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const client = createClient(QueryService, transport);
  const visible = new Map<string, Set<string>>();
  let [listedCount, cursor] = [0, ""];
  do {
    const { objects, total, next } = await client.listObjects({ query, limit: pageLimit, cursor });
    for (const { row } of objects) {
      const keys = visible.get(row?.resource ?? "") ?? new Set();
      visible.set(row?.resource ?? "", keys.add(`${row?.namespace}/${row?.name}`));
    }
    listedCount += objects.length;
    cursor = next;
    if (cursor === "" && Number(total) !== listedCount)
      throw new Error(`the total is ${total}, and ${listedCount} rows were listed`);
  } while (cursor !== "");
  return visible;
}
