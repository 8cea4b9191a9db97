// SPDX-License-Identifier: Apache-2.0
// A hub with and without fleet queries: the same calls to both.
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { DocumentedHub } from "../support/call-document.ts";
import { toObject } from "../support/check-json.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const sentence = "fleet queries are turned off on this hub; its operator can allow them with --fleet-queries";

/** What belongs to the list view of the fleet. */
const listing = new Set(
  "ListObjects Facets Problems Compare Relations Explain Complete".split(" ").map((name) => `QueryService/${name}`),
);

describe("[Q-48] [QL60] the fleet list view behind --fleet-queries", () => {
  const folders = { on: openTempFolder(), off: openTempFolder() };
  const hubs = new Map<"on" | "off", RunningHub>();
  const hubOf = (flag: "on" | "off"): RunningHub => hubs.get(flag) as RunningHub;

  beforeAll(async () => {
    const [on, off] = await Promise.all([
      startHub(folders.on.path),
      startHub(folders.off.path, ["--fleet-queries=false"]),
    ]);
    hubs.set("on", on).set("off", off);
  });

  afterAll(async () => {
    for (const hub of hubs.values()) await hub.stop();
    for (const folder of Object.values(folders)) folder[Symbol.dispose]();
  });

  const get = async (flag: "on" | "off", path: string): Promise<{ status: number; body: unknown }> => {
    const { record, adminToken } = hubOf(flag);
    const answer = await fetch(`${record.httpUrl}${path}`, { headers: { authorization: `Bearer ${adminToken}` } });
    return { status: answer.status, body: await answer.json() };
  };

  const documentOf = async (flag: "on" | "off"): Promise<DocumentedHub> => {
    const { body } = await get(flag, "/openapi.json");
    return new DocumentedHub(hubOf(flag).record.httpUrl, toObject(body, "/openapi.json"));
  };

  test("off, its methods are refused with one sentence and are not in the document; every other call has the same outcome", async () => {
    const [on, off] = [await documentOf("on"), await documentOf("off")];
    const keptPaths = new Set(off.operations.map(({ path }) => path));
    for (const operation of on.operations) {
      const name = operation.path.replace(/^\/.*\.(\w+)\//, "$1/");
      const isListing = listing.has(name) || name.startsWith("SavedQueryService/");
      expect([name, keptPaths.has(operation.path)]).toEqual([name, !isListing]);
      const [before, after] = [
        await on.call(operation, {}, hubOf("on").adminToken),
        await off.call(operation, {}, hubOf("off").adminToken),
      ];
      expect(after.faults).toEqual([]);
      if (isListing) expect(after.body).toMatchObject({ code: "unimplemented", message: sentence });
      else expect([name, after.status, after.code]).toEqual([name, before.status, before.code]);
    }
  });

  test("off, the live view and the fleet API are refused with the same sentence", async () => {
    const watch = createClient(QueryService, hubOf("off").connect()).watchObjects({ query: "" });
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: "UNIMPLEMENTED",
      message: sentence,
    });
    expect(await get("off", "/fleet-api/api/v1/pods")).toMatchObject({ status: 404, body: { message: sentence } });
    expect((await get("on", "/fleet-api/api")).status).toBe(200);
  });
});
