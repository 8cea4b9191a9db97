// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { SystemService } from "../gen/flotilla/admin/v1/admin_pb.ts";
import type { HubCall } from "./hub-call.ts";
import { printResult } from "./output.ts";
import { renderTable } from "./table.ts";

/** This program and what runs it. */
export interface ClientVersion {
  readonly version: string;
  /** Node's version and the platform. */
  readonly runtime: string;
}

/** Prints the version of this program and, where a hub is to be asked, of that hub. A hub that does not answer is a failure. */
export async function printVersion(
  call: Omit<HubCall, "transport"> & Partial<Pick<HubCall, "transport">>,
  client: ClientVersion,
): Promise<void> {
  const { io, output, transport, signal } = call;
  const rows = [["client", client.version, client.runtime]];
  if (transport === undefined) {
    await printResult(io.stdout, output, {
      value: { client: { ...client } },
      text: renderTable(["", "VERSION", ""], rows),
    });
    return;
  }
  const { version, storeId, revision } = await createClient(SystemService, transport).getVersion({}, { signal });
  rows.push(["hub", version, `store ${storeId}, revision ${revision}`]);
  const value = { client: { ...client }, hub: { version, storeId, revision: revision.toString() } };
  await printResult(io.stdout, output, { value, text: renderTable(["", "VERSION", ""], rows) });
}
