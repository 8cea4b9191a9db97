// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { SystemService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "./output.ts";
import { renderTable } from "./text-table.ts";

/** The version of this program and its runtime. */
export interface ClientVersion {
  readonly version: string;
  /** Node's version and the platform. */
  readonly runtime: string;
}

/** The version of a hub. */
export interface HubVersion {
  readonly version: string;
  readonly storeId: string;
  /** As text, because it has 64 bits. */
  readonly revision: string;
}

/** Reads a hub's version. */
export async function loadHubVersion({ transport, signal }: HubCall): Promise<HubVersion> {
  const { version, storeId, revision } = await createClient(SystemService, transport).getVersion({}, { signal });
  return { version, storeId, revision: revision.toString() };
}

/** Prints the version of this program and, if there is one, of the hub. */
export async function printVersion(
  { io, output }: Pick<HubCall, "io" | "output">,
  client: ClientVersion,
  hub: HubVersion | undefined,
): Promise<void> {
  const rows = [["client", client.version, client.runtime]];
  if (hub !== undefined) rows.push(["hub", hub.version, `store ${hub.storeId}, revision ${hub.revision}`]);
  const value = { client: { ...client }, ...(hub === undefined ? {} : { hub: { ...hub } }) };
  await printResult(io.stdout, output, { value, text: renderTable(["", "VERSION", ""], rows) });
}
