// SPDX-License-Identifier: Apache-2.0
// What `kubectl get` shows, beside a real kube-apiserver: its tables, and ours made from its objects, must not differ.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isObject, type JsonObject } from "../../src/apiserver/json/json.ts";
import { listAt, objectAt } from "../../src/apiserver/json/json-fields.ts";
import { customPrinter } from "../../src/apiserver/table/custom-columns.ts";
import { toTable } from "../../src/apiserver/table/kube-table.ts";
import { toPartialMetadata, toPartialMetadataList } from "../../src/apiserver/table/partial-metadata.ts";
import { printerFor } from "../../src/apiserver/table/printers.ts";
import { splitLines } from "../../src/kube/reflector/split-lines.ts";
import { HttpsSource } from "../support/kube-https-source.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";
import { differencesInTime, withoutDescriptions } from "./table/compare-table.ts";
import { customColumns, customDefinition, customObjects } from "./table/custom-sample.ts";
import { asOf, gatherTable, makeSamples, tableAccept, toObject } from "./table/gather-tables.ts";

const namespaces = "/api/v1/namespaces";

/** An event of a watch is one object, and those here have no more than a few kilobytes. */
const maxEventBytes = 1024 * 1024;

const partialAccept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const partialListAccept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

describeOnKit("tables", [], (kit) => {
  let cluster: KubernetesCluster;
  let client: KubeClient;

  beforeAll(async () => {
    cluster = await startCluster({ kit });
    client = cluster.connect();
  }, 60_000);

  afterAll(async () => {
    await cluster.stop();
  });

  async function getObject(path: string, accept = "application/json"): Promise<JsonObject> {
    return toObject(await client.ask("GET", path, { headers: { accept } }));
  }

  test("of built-in kinds have the same columns and cells", async () => {
    const collections = await makeSamples(client, Date.now());
    const differences: string[] = [];
    let rowCount = 0;
    for (const collection of collections) {
      const gathered = await gatherTable(client, collection, Date.now);
      rowCount += gathered.objects.length;
      differences.push(...differencesInTime(printerFor(gathered.group, gathered.version, gathered.kind), gathered));
    }
    expect(differences).toEqual([]);
    expect(rowCount).toBeGreaterThan(200);
  }, 60_000);

  test("of custom resources have the columns of their version, or the age", async () => {
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await client.ask("POST", definitions, { body: customDefinition });
    const widgets = "/apis/example.com/v1/widgets";
    await expect.poll(async () => (await client.send("GET", widgets)).status, { timeout: 10_000 }).toBe(200);
    for (const body of customObjects) await client.ask("POST", widgets, { body });
    const withColumns = await gatherTable(client, widgets, Date.now);
    expect(withColumns.objects.length).toBe(customObjects.length);
    expect(differencesInTime(customPrinter(customColumns), withColumns)).toEqual([]);
    const without = await gatherTable(client, "/apis/example.com/v2/widgets", Date.now);
    expect(differencesInTime(customPrinter([]), without)).toEqual([]);
    const shown = listAt(withColumns.table, "columnDefinitions")?.slice(1);
    expect(customPrinter(customColumns).columns.slice(1)).toEqual(shown);
    const gathered = await gatherTable(client, definitions, Date.now);
    expect(differencesInTime(printerFor(gathered.group, gathered.version, gathered.kind), gathered)).toEqual([]);
  }, 30_000);

  test.each([
    ["None", "v1"],
    ["Metadata", "v1beta1"],
    ["Object", "v1"],
  ] as const)("of one object with includeObject=%s in %s are the same", async (includeObject, version) => {
    const accept = `application/json;as=Table;v=${version};g=meta.k8s.io`;
    const object = await getObject(`${namespaces}/default`);
    const table = await getObject(`${namespaces}/default?includeObject=${includeObject}`, accept);
    const ours = toTable(printerFor("", "v1", "Namespace"), [object], { nowMs: Date.now(), includeObject, version });
    expect(withoutAges(ours)).toEqual(withoutAges(table));
  });

  test("of one page have the metadata of the list", async () => {
    const list = await getObject(`${namespaces}?limit=1`);
    const table = await getObject(`${namespaces}?limit=1&${asOf(list)}`, tableAccept);
    const objects = (listAt(list, "items") ?? []).filter((item) => isObject(item));
    const listMeta = objectAt(list, "metadata") ?? {};
    expect(listMeta).toHaveProperty("continue");
    const ours = toTable(printerFor("", "v1", "Namespace"), objects, {
      nowMs: Date.now(),
      includeObject: "Metadata",
      listMeta,
    });
    expect(withoutAges(ours)).toEqual(withoutAges(table));
  });

  test("of a watch tell the columns once, and bookmarks have an empty row", async () => {
    const printer = printerFor("", "v1", "Pod");
    const path = `${namespaces}/table/pods`;
    const [tables, plain] = [await watchStart(path, tableAccept), await watchStart(path, "application/json")];
    expect(tables.map(({ type }) => type)).toEqual(plain.map(({ type }) => type));
    expect(tables.at(-1)?.type).toBe("BOOKMARK");
    for (const [index, { type, object }] of tables.entries()) {
      const told = plain[index]?.object ?? {};
      // Each watch has its own bookmark, at the revision that the server had come to.
      const metadata = { ...objectAt(told, "metadata"), ...objectAt(object, "metadata") };
      const ours = toTable(printer, [type === "BOOKMARK" ? { ...told, metadata } : told], {
        nowMs: Date.now(),
        includeObject: "Metadata",
        withColumns: index === 0,
      });
      expect(ours["columnDefinitions"] === null).toBe(object["columnDefinitions"] === null);
      expect(withoutAges(ours)).toEqual(withoutAges(object));
    }
  }, 20_000);

  test("partial objects are the metadata alone", async () => {
    const object = await getObject(`${namespaces}/default`);
    expect(toPartialMetadata(object)).toEqual(await getObject(`${namespaces}/default`, partialAccept));
    const list = await getObject(namespaces);
    const objects = (listAt(list, "items") ?? []).filter((item) => isObject(item));
    const ours = toPartialMetadataList(objects, objectAt(list, "metadata") ?? {});
    expect(ours).toEqual(await getObject(`${namespaces}?${asOf(list)}`, partialListAccept));
  });

  /** The events of a watch up to its first bookmark: everything that was there when it began. */
  async function watchStart(path: string, accept: string): Promise<readonly { type: string; object: JsonObject }[]> {
    const token = cluster.tokenOf("admin");
    using source = new HttpsSource({ url: cluster.url, ca: readFileSync(cluster.caFile, "utf8"), token });
    const query = {
      watch: "1",
      allowWatchBookmarks: "true",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
    };
    const request = { method: "GET", path, query, headers: { accept }, deadlineMs: 30_000, isWatch: true } as const;
    const { body } = await source.request(request, new AbortController().signal);
    const events: { type: string; object: JsonObject }[] = [];
    for await (const lines of splitLines(body, maxEventBytes)) {
      for (const line of lines) {
        if (line.kind === "tooLong") throw new Error(`an event has ${line.byteCount} bytes`);
        events.push(JSON.parse(new TextDecoder().decode(line.bytes)) as { type: string; object: JsonObject });
      }
      const endAt = events.findIndex(({ type }) => type === "BOOKMARK");
      if (endAt !== -1) return events.slice(0, endAt + 1);
    }
    return events;
  }
});

/** Cells that tell a length of time are no part of these comparisons: the answers are of different moments. */
function withoutAges(table: JsonObject): JsonObject {
  const rows = (listAt(table, "rows") ?? []).filter((row) => isObject(row));
  const isAge = /^\d+[smhdy](\d+[smhdy])?$/;
  return {
    ...withoutDescriptions(table),
    rows: rows.map((row) => ({
      ...row,
      cells: (listAt(row, "cells") ?? []).map((cell) =>
        typeof cell === "string" ? cell.replace(isAge, "age").replace(/\(\w+ ago\)/, "(age ago)") : cell,
      ),
    })),
  };
}
