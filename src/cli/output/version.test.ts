// SPDX-License-Identifier: Apache-2.0
import { createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { SystemService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { recordIo } from "../testing/recorded-io.ts";
import type { OutputFormat } from "./output.ts";
import { loadHubVersion, printVersion } from "./version.ts";

const client = { version: "1.2.3", runtime: "Node 26" };
const transport = createRouterTransport(({ service }) =>
  service(SystemService, { getVersion: () => ({ version: "1.3.0", storeId: "st_1", revision: 2n ** 60n }) }),
);

async function print(output: OutputFormat, withHub: boolean): Promise<string> {
  const { io, stdout } = recordIo();
  const { signal } = new AbortController();
  const call = { io, output, signal, transport };
  await printVersion(call, client, withHub ? await loadHubVersion(call) : undefined);
  return stdout();
}

test("both versions are shown, the revision without loss", async () => {
  expect(JSON.parse(await print("json", true))).toEqual({
    client: { version: "1.2.3", runtime: "Node 26" },
    hub: { version: "1.3.0", storeId: "st_1", revision: "1152921504606846976" },
  });
  expect(await print("text", true)).toContain("hub     1.3.0    store st_1, revision 1152921504606846976\n");
});

test("without a hub there is only the client's", async () => {
  expect(JSON.parse(await print("json", false))).toEqual({ client });
});
