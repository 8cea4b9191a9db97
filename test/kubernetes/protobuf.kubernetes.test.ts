// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyJson, isObject, type JsonObject } from "../../src/apiserver/json/json.ts";
import { listAt, textAt } from "../../src/apiserver/json/json-fields.ts";
import { parseJsonText } from "../../src/apiserver/json/parse-json.ts";
import { stringifyJson } from "../../src/apiserver/json/stringify-json.ts";
import { decodeProtobuf } from "../../src/apiserver/protobuf/decode-protobuf.ts";
import { ProtobufEncoder } from "../../src/apiserver/protobuf/encode-protobuf.ts";
import { loadSchemaTable } from "../../src/apiserver/schema/load-schema-table.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import { protobufSamples } from "./protobuf-samples.ts";
import { protobufServerSamples } from "./protobuf-server-samples.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const table = loadSchemaTable();
const encoder = new ProtobufEncoder(table);

/** Admission policies are refused, and the messages in their rules are not read. */
const unread: ReadonlySet<string> = new Set(["mutatingadmissionpolicies", "validatingadmissionpolicies"]);
const listed = table.resources.filter(({ verbs, resource }) => verbs.includes("list") && !unread.has(resource));

function pathOf({ group, version, resource }: { group: string; version: string; resource: string }): string {
  return `${group === "" ? `/api/${version}` : `/apis/${group}/${version}`}/${resource}`;
}

function getProtobuf(cluster: KubernetesCluster, path: string): Promise<Buffer> {
  return get(cluster, path, "application/vnd.kubernetes.protobuf");
}

async function getText(cluster: KubernetesCluster, path: string): Promise<string> {
  return (await get(cluster, path, "application/json")).toString();
}

function get(cluster: KubernetesCluster, path: string, accept: string): Promise<Buffer> {
  return new Promise((done, fail) => {
    const call = request(`${cluster.url}${path}`, {
      ca: readFileSync(cluster.caFile),
      headers: { authorization: `Bearer ${cluster.tokenOf("admin")}`, accept },
    });
    call.once("error", fail);
    call.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", fail);
      response.once("end", () => done(Buffer.concat(chunks)));
    });
    call.end();
  });
}

/**
 * The real server writes the absent caBundle of a webhook as empty bytes, which JSON does not show. Webhooks are
 * refused here, so none is ever encoded.
 */
const sameBytes = listed.filter(({ resource }) => !resource.endsWith("webhookconfigurations"));

/** Messages carry no kind inside: the server's defaults put it on the claims of a StatefulSet, where JSON shows it. */
function withoutInnerKinds(list: JsonObject): JsonObject {
  const copy = copyJson(list);
  for (const item of listAt(copy, "items") ?? []) {
    for (const claim of listAt(item, "spec", "volumeClaimTemplates") ?? []) {
      if (!isObject(claim)) continue;
      delete claim["kind"];
      delete claim["apiVersion"];
    }
  }
  return copy;
}

describeOnKit("protobuf", [], (kit) => {
  let cluster: KubernetesCluster;
  beforeAll(async () => {
    cluster = await startCluster({ kit });
    const client = cluster.connect();
    for (const { path, body } of [...protobufSamples, ...protobufServerSamples])
      await client.ask("POST", path, { body });
  }, 60_000);
  afterAll(() => cluster.stop());

  test.each(listed)("$resource of $group/$version: what protobuf holds is what JSON says", async (facts) => {
    const path = pathOf(facts);
    const asJson = (await cluster.connect().ask("GET", path)) as JsonObject;
    const exactly = `resourceVersionMatch=Exact&resourceVersion=${textAt(asJson, "metadata", "resourceVersion")}`;
    const { apiVersion, kind, object } = decodeProtobuf(table, await getProtobuf(cluster, `${path}?${exactly}`), {
      ...facts,
      kind: `${facts.kind}List`,
    });
    expect({ apiVersion, kind }).toEqual({ apiVersion: asJson["apiVersion"], kind: asJson["kind"] });
    expect(JSON.parse(stringifyJson(object))).toEqual(withoutInnerKinds(asJson));
  });

  test.each(sameBytes)("[AP30] $resource of $group/$version: our bytes are the real server's", async (facts) => {
    const path = pathOf(facts);
    const asJson = parseJsonText(await getText(cluster, path), { findDuplicates: false }).value as JsonObject;
    const exactly = `resourceVersionMatch=Exact&resourceVersion=${textAt(asJson, "metadata", "resourceVersion")}`;
    const theirs = Buffer.from(await getProtobuf(cluster, `${path}?${exactly}`));
    expect(Buffer.from(encoder.encodeObject(asJson)).toString("latin1")).toBe(theirs.toString("latin1"));
  });

  test.each(["/api", "/apis", "/apis/apps", "/apis/apps/v1", "/api/v1", "/apis/example.com/v1", "/api/v1/nodes/none"])(
    "[AP30] %s: our bytes are the real server's",
    async (path) => {
      const theirs = Buffer.from(await getProtobuf(cluster, path));
      const ours = encoder.encodeObject(JSON.parse(await getText(cluster, path)) as JsonObject);
      expect(Buffer.from(ours).toString("latin1")).toBe(theirs.toString("latin1"));
    },
  );

  test("[AP30] PartialObjectMetadataList: our bytes are the real server's", async () => {
    const parameters = ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    const path = "/apis/apps/v1/deployments";
    const theirs = Buffer.from(await get(cluster, path, `application/vnd.kubernetes.protobuf${parameters}`));
    const asJson = (await get(cluster, path, `application/json${parameters}`)).toString();
    const ours = encoder.encodeObject(JSON.parse(asJson) as JsonObject);
    expect(Buffer.from(ours).toString("latin1")).toBe(theirs.toString("latin1"));
  });

  test("every kind was there to be compared", async () => {
    const isEmpty = async (facts: (typeof listed)[number]): Promise<boolean> => {
      const { items } = (await cluster.connect().ask("GET", pathOf(facts))) as { readonly items: readonly unknown[] };
      return items.length === 0;
    };
    const empty: string[] = [];
    for (const facts of listed) if (await isEmpty(facts)) empty.push(facts.resource);
    expect(empty).toEqual([]);
  });
});
