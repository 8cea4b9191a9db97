// SPDX-License-Identifier: Apache-2.0

import { afterAll, beforeAll, expect, test } from "vitest";
import {
  copyJson,
  type Draft,
  deleteKey,
  isEqualJson,
  isList,
  isObject,
  type JsonObject,
} from "../../src/apiserver/json/json.ts";
import { objectAt } from "../../src/apiserver/json/json-fields.ts";
import { builtInDocument } from "../../src/apiserver/openapi/built-in-document.ts";
import { groupVersionPath } from "../../src/apiserver/openapi/resource-paths.ts";
import { loadSchemaTable } from "../../src/apiserver/schema/load-schema-table.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const table = loadSchemaTable();
const groupVersions = [
  ...new Map(table.resources.map(({ group, version }) => [`${group}/${version}`, { group, version }])).values(),
];

/**
 * Schemas that may differ, and why: an explicit default that is also Go's zero value, `x-kubernetes-unions`, which no
 * client reads, and references that stand bare because the field has no prose.
 */
const zeroDefaults =
  /\.(?:ScaleSpec|ReplicationControllerSpec|LocalObjectReference|(?:ConfigMap|Secret)(?:EnvSource|KeySelector|Projection)|ConfigMapVolumeSource)$/;
const unions =
  /\.(?:AppArmorProfile|PodSchedulingGroup|SeccompProfile|flowcontrol\.v1\.(?:LimitResponse|PriorityLevelConfigurationSpec|Subject))$/;
const bareReferences = /\.(?:IngressRule|JSONSchemaProps)$/;

/** Drops prose, but not the properties that are called description. */
function dropProse(value: Draft, isProperties = false): void {
  if (isList(value)) for (const item of value) dropProse(item);
  if (!isObject(value)) return;
  if (!isProperties && typeof value["description"] === "string") deleteKey(value, "description");
  for (const [key, part] of Object.entries(value)) dropProse(part, !isProperties && key === "properties");
}

describeOnKit("OpenAPI", [], (kit) => {
  let cluster: KubernetesCluster;
  beforeAll(async () => {
    cluster = await startCluster({ kit });
  }, 60_000);
  afterAll(() => cluster.stop());

  test.each(groupVersions)(
    "$group/$version: schemas and paths are those of the real server",
    async ({ group, version }) => {
      const path = `/openapi/v3/${groupVersionPath(group, version)}`;
      const told = copyJson((await cluster.connect().ask("GET", path)) as JsonObject);
      dropProse(told);
      const ours = builtInDocument(table, group, version);
      const schemas = Object.entries(objectAt(ours, "components", "schemas") ?? {});
      const differing = schemas
        .filter(([name, schema]) => {
          const real = objectAt(told, "components", "schemas", name);
          return (
            !isEqualJson(schema, real) && ![zeroDefaults, unions, bareReferences].some((known) => known.test(name))
          );
        })
        .map(([name]) => name);
      expect(differing).toEqual([]);
      const realPaths = new Set(Object.keys(objectAt(told, "paths") ?? {}));
      expect(Object.keys(objectAt(ours, "paths") ?? {}).filter((each) => !realPaths.has(each))).toEqual([]);
    },
  );
});
