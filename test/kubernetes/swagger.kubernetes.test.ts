// SPDX-License-Identifier: Apache-2.0
// The OpenAPI v2 document beside the real server's.
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  isEqualJson,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
} from "../../src/apiserver/json/json.ts";
import { builtInDocument } from "../../src/apiserver/openapi/built-in-document.ts";
import { encodeGnostic } from "../../src/apiserver/openapi/gnostic-document.ts";
import { swaggerDocument } from "../../src/apiserver/openapi/swagger-document.ts";
import { loadSchemaTable } from "../../src/apiserver/schema/load-schema-table.ts";
import { compareUtf8 } from "../../src/model/text.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const table = loadSchemaTable();
const groupVersions = [
  ...new Map(table.resources.map(({ group, version }) => [`${group}/${version}`, { group, version }])).values(),
];
const ours = swaggerDocument(
  `v${table.kubernetesVersion}`,
  groupVersions.map(({ group, version }) => builtInDocument(table, group, version)),
);

/** Definitions that differ: `x-kubernetes-unions`, which no client reads, and the groups of DeleteOptions, of which the real server has more. */
const otherDefinitions = /\.(?:AppArmorProfile|PodSchedulingGroup|SeccompProfile|DeleteOptions)$/;
/** Deletes that answer with the object, which our document calls a Status, as it does elsewhere. */
const returnedWhenDeleted =
  /\/(?:persistentvolumeclaims|persistentvolumes|pods|podtemplates|resourcequotas|serviceaccounts|services|csidrivers|csinodes|storageclasses|volumeattachments)\/\{name\} delete$/;
/** Log has parameters and a type of its own, which kubectl does not read here. */
const log = /\/log get$/;
/** An alpha parameter that needs a feature gate. */
const leftOutParameter = "query shardSelector";

function getBytes(cluster: KubernetesCluster, accept: string): Promise<Buffer> {
  return new Promise((done, fail) => {
    const headers = { authorization: `Bearer ${cluster.tokenOf("admin")}`, accept };
    const call = request(`${cluster.url}/openapi/v2`, { ca: readFileSync(cluster.caFile), headers });
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

/** Without prose, but with the properties that are called description. */
function withoutProse(value: Json, isProperties = false): Json {
  if (isList(value)) return value.map((item) => withoutProse(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, part]) => isProperties || key !== "description" || typeof part !== "string",
  );
  return Object.fromEntries(
    kept.map(([key, part]) => [key, withoutProse(part, !isProperties && key === "properties")]),
  );
}

/** Operations by path and method, each with all its parameters by place and name: the real server keeps those of several operations elsewhere. */
function operationsOf(document: JsonObject): ReadonlyMap<string, JsonObject> {
  const resolve = (parameter: Json): Json => {
    const reference = textAt(parameter, "$ref");
    if (reference === undefined) return parameter;
    return objectAt(document, "parameters", reference.replace("#/parameters/", "")) ?? null;
  };
  const named = (list: readonly Json[]): JsonObject =>
    Object.fromEntries(
      list
        .map((each) => withoutProse(resolve(each)))
        .map((each) => [`${textAt(each, "in")} ${textAt(each, "name")}`, each] as const)
        .filter(([name]) => name !== leftOutParameter),
    );
  const found = new Map<string, JsonObject>();
  for (const [path, item] of Object.entries(objectAt(document, "paths") ?? {})) {
    for (const [method, operation] of Object.entries(item as JsonObject)) {
      if (!isObject(operation)) continue;
      const parameters = [...(listAt(item, "parameters") ?? []), ...(listAt(operation, "parameters") ?? [])];
      const rest = withoutProse(operation) as JsonObject;
      found.set(`${path} ${method}`, {
        ...rest,
        consumes: sortedTexts(listAt(rest, "consumes")),
        produces: sortedTexts(listAt(rest, "produces")),
        parameters: named(parameters),
      });
    }
  }
  return found;
}

function sortedTexts(list: readonly Json[] = []): readonly string[] {
  return list.filter((each) => typeof each === "string").toSorted(compareUtf8);
}

describeOnKit("OpenAPI v2", [], (kit) => {
  let cluster: KubernetesCluster;
  let text: Buffer;
  let real: JsonObject;
  beforeAll(async () => {
    cluster = await startCluster({ kit });
    text = await getBytes(cluster, "application/json");
    real = JSON.parse(text.toString()) as JsonObject;
  }, 60_000);
  afterAll(() => cluster.stop());

  test("[AP32] definitions are those of the real server", () => {
    const differing = Object.entries(objectAt(ours, "definitions") ?? {})
      .filter(([name, definition]) => {
        const told = objectAt(real, "definitions", name);
        return told === undefined || !isEqualJson(definition, withoutProse(told));
      })
      .map(([name]) => name);
    expect(differing.filter((name) => !otherDefinitions.test(name))).toEqual([]);
    expect(differing.filter((name) => otherDefinitions.test(name))).not.toEqual([]);
  });

  test("[AP32] paths, operations and parameters are those of the real server", () => {
    const told = operationsOf(real);
    const differing = [...operationsOf(ours)]
      .filter(([name, operation]) => !isEqualJson(operation, told.get(name)))
      .map(([name]) => name);
    expect(differing.filter((name) => !returnedWhenDeleted.test(name) && !log.test(name))).toEqual([]);
  });

  test("[AP32] gnostic's bytes of the real server's document are the real server's", async () => {
    const theirs = await getBytes(cluster, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
    expect(Buffer.from(encodeGnostic(real)).equals(theirs)).toBe(true);
  });
});
