// SPDX-License-Identifier: Apache-2.0
// The OpenAPI v2 document beside the real server's.

import { readFileSync } from "node:fs";
import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isEqualJson, isList, isObject, type Json, type JsonObject } from "../../src/apiserver/json/json.ts";
import { listAt, objectAt, textAt } from "../../src/apiserver/json/json-fields.ts";
import { builtInDocument } from "../../src/apiserver/openapi/built-in-document.ts";
import {
  type CustomResourceInput,
  customResourceDocument,
} from "../../src/apiserver/openapi/custom-resource-document.ts";
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

/**
 * Definitions that differ: `x-kubernetes-unions`, which no client reads, and the groups of DeleteOptions, of which the
 * real server has more.
 */
const otherDefinitions =
  /\.(?:AppArmorProfile|PodSchedulingGroup|SeccompProfile|DeleteOptions|flowcontrol\.v1\.(?:LimitResponse|PriorityLevelConfigurationSpec|Subject))$/;
/** Deletes that answer with the object, which our document calls a Status, as it does elsewhere. */
const returnedWhenDeleted =
  /\/(?:persistentvolumeclaims|persistentvolumes|pods|podtemplates|resourcequotas|serviceaccounts|services|csidrivers|csinodes|storageclasses|volumeattachments)\/\{name\} delete$/;
/** Log has parameters and a type of its own, which kubectl does not read here. */
const log = /\/log get$/;
/** An alpha parameter that needs a feature gate. */
const leftOutParameter = "query shardSelector";

const text: JsonObject = { type: "string" };
/** What v2 says otherwise than v3: null, unknown fields, alternatives, objects within objects. */
const gadgetSchema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["nothing", "count"],
      properties: {
        nothing: { ...text, nullable: true, maxLength: 3 },
        object: { type: "object", nullable: true, properties: { x: text } },
        list: { type: "array", nullable: true, items: text, maxItems: 3 },
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          required: ["x"],
          properties: { x: text },
        },
        map: { type: "object", additionalProperties: { ...text, nullable: true } },
        resource: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        template: {
          type: "object",
          required: ["spec"],
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object" } },
        },
        count: { type: "integer", format: "int32", title: "T", anyOf: [{ minimum: 3 }, { maximum: 1 }] },
        port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, text] },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { ...text, minLength: 1 } },
        word: { ...text, enum: ["a", "b"], default: "a" },
      },
    },
  },
};
const gadget: CustomResourceInput = {
  facts: {
    group: "shape.example.com",
    version: "v1",
    resource: "gadgets",
    singular: "gadget",
    kind: "Gadget",
    namespaced: false,
    verbs: ["get"],
    shortNames: [],
    categories: [],
    subresources: [],
    storageVersionHash: undefined,
  },
  listKind: "GadgetList",
  schema: gadgetSchema,
  hasStatus: false,
  hasScale: false,
};

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

/**
 * Operations by path and method, each with all its parameters by place and name: the real server keeps those of several
 * operations elsewhere.
 */
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
  let real: JsonObject;
  beforeAll(async () => {
    cluster = await startCluster({ kit });
    real = JSON.parse((await getBytes(cluster, "application/json")).toString()) as JsonObject;
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

  test("[AP32] the schema of a custom resource is published as the real server publishes it", async () => {
    const client = cluster.connect();
    const { group, version, resource: plural, kind } = gadget.facts;
    const versions = [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: gadgetSchema } }];
    const body = {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: "Cluster", names: { plural, kind }, versions },
    };
    await client.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body });
    const name = "com.example.shape.v1.Gadget";
    const document = customResourceDocument(table, [gadget]);
    const publishedV2 = async (): Promise<Json> => {
      const told = JSON.parse((await getBytes(cluster, "application/json")).toString()) as JsonObject;
      return withoutProse(objectAt(told, "definitions", name) ?? {});
    };
    const publishedV3 = async (): Promise<Json> => {
      const { body: told } = await client.send("GET", `/openapi/v3/apis/${group}/${version}`);
      return withoutProse(objectAt(told as Json, "components", "schemas", name) ?? {});
    };
    await expect
      .poll(publishedV2, { timeout: 30_000 })
      .toEqual(objectAt(swaggerDocument("", [document]), "definitions", name));
    await expect.poll(publishedV3, { timeout: 30_000 }).toEqual(objectAt(document, "components", "schemas", name));
  });
});
