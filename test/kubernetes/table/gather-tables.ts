// SPDX-License-Identifier: Apache-2.0
// Makes the samples on a real server and asks it for each collection twice: as a table and as objects.

import { isObject, type Json, type JsonObject } from "../../../src/apiserver/json/json.ts";
import { listAt, textAt } from "../../../src/apiserver/json/json-fields.ts";
import type { KubeClient } from "../kube-client.ts";
import { coreSamples } from "./core-samples.ts";
import { networkSamples } from "./network-samples.ts";
import { podSamples } from "./pod-samples.ts";
import { policySamples } from "./policy-samples.ts";
import type { Ago, Sample } from "./sample.ts";
import { sampleNamespaces } from "./sample.ts";
import { storageSamples } from "./storage-samples.ts";
import { workloadSamples } from "./workload-samples.ts";

/** One collection as a real server shows it. It counted ages at some time from `fromMs` to `toMs`. */
export interface GatheredTable {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly table: JsonObject;
  readonly objects: readonly JsonObject[];
}

export const tableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io";

/**
 * Collections that are looked at besides those of the samples: other versions of the same, and what a server is born
 * with.
 */
const moreCollections = [
  "/api/v1/namespaces",
  "/api/v1/namespaces/table/serviceaccounts",
  "/apis/autoscaling/v1/namespaces/table/horizontalpodautoscalers",
  "/apis/events.k8s.io/v1/namespaces/table/events",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  "/apis/networking.k8s.io/v1/ipaddresses",
];

/** All samples, made there; with the collections in which they are. */
export async function makeSamples(client: KubeClient, nowMs: number): Promise<readonly string[]> {
  const ago: Ago = (seconds) => new Date(Math.trunc(nowMs / 1000 - seconds) * 1000).toISOString().replace(".000", "");
  for (const name of sampleNamespaces) await client.ask("POST", "/api/v1/namespaces", { body: { metadata: { name } } });
  const account = { metadata: { name: "default" } };
  await client.ask("POST", "/api/v1/namespaces/table/serviceaccounts", { body: account });
  const samples = [
    ...storageSamples,
    ...coreSamples(ago),
    ...policySamples,
    ...networkSamples,
    ...workloadSamples(ago),
    ...podSamples(ago),
  ];
  for (const sample of samples) await makeSample(client, sample);
  return [...new Set([...samples.map(({ collection }) => collection), ...moreCollections])];
}

async function makeSample(client: KubeClient, { collection, object, status, isDeleted }: Sample): Promise<void> {
  const made = toObject(await client.ask("POST", collection, { body: object }));
  const path = `${collection}/${textAt(made, "metadata", "name") ?? ""}`;
  if (status !== undefined) await client.ask("PUT", `${path}/status`, { body: { ...made, status } });
  if (isDeleted === true) await client.ask("DELETE", path);
}

/**
 * A query for the state of an earlier answer: any write to the server, of whatever kind, gives the next list another
 * resourceVersion.
 */
export function asOf(answer: JsonObject): string {
  return `resourceVersionMatch=Exact&resourceVersion=${textAt(answer, "metadata", "resourceVersion") ?? ""}`;
}

export async function gatherTable(client: KubeClient, collection: string, clock: () => number): Promise<GatheredTable> {
  const fromMs = clock();
  const table = toObject(await client.ask("GET", collection, { headers: { accept: tableAccept } }));
  const toMs = clock();
  const list = toObject(await client.ask("GET", `${collection}?${asOf(table)}`));
  const kind = (textAt(list, "kind") ?? "").replace(/List$/, "");
  const [version = "", group = ""] = (textAt(list, "apiVersion") ?? "").split("/").toReversed();
  const objects = (listAt(list, "items") ?? []).filter((item) => isObject(item));
  return { group, version, kind, fromMs, toMs, table, objects };
}

export function toObject(body: unknown): JsonObject {
  const json = body as Json;
  if (!isObject(json)) throw new Error("the server did not answer with an object");
  return json;
}
