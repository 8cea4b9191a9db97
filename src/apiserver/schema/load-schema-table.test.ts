// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { loadSchemaTable } from "./load-schema-table.ts";
import type { FieldSchema, ObjectSchema, TypeRef, WireField } from "./schema.ts";

const table = loadSchemaTable();
const core = "io.k8s.api.core.v1";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

function field(type: string, name: string): WireField {
  const found: FieldSchema | undefined = table.object(type).fields.get(name);
  if (found === undefined) throw new Error(`${type} has no field ${name}`);
  return found;
}

/** Every type that can be reached from a kind of the table. */
function reachable(): ReadonlyMap<string, ObjectSchema> {
  const found = new Map<string, ObjectSchema>();
  const visit = (ref: TypeRef): void => {
    if (ref.kind === "list") visit(ref.item);
    else if (ref.kind === "map") visit(ref.value);
    else if (ref.kind === "object" && !found.has(ref.name)) {
      const schema = table.object(ref.name);
      found.set(ref.name, schema);
      for (const { type } of schema.fields.values()) visit(type);
    }
  };
  for (const { group, version, kind, subresources } of table.resources) {
    for (const each of [{ group, version, kind }, { group, version, kind: `${kind}List` }, ...subresources]) {
      const schema = table.ofKind(each.group, each.version, each.kind);
      if (schema !== undefined) visit({ kind: "object", name: schema.name });
    }
  }
  return found;
}

describe("the table of built-in kinds", () => {
  test("is of the Kubernetes version that we build for tests", () => {
    expect(table.kubernetesVersion).toBe("1.36.3");
    expect(loadSchemaTable()).toBe(table);
  });

  test("resolves every type that a kind leads to", () => {
    const types = reachable();
    expect(types.size).toBeGreaterThan(400);
    for (const [name, schema] of types) expect([schema.name, name.endsWith(`.${schema.goName}`)]).toEqual([name, true]);
  });

  test.each([
    ["", "v1", "Pod", `${core}.Pod`],
    ["", "v1", "PodList", `${core}.PodList`],
    ["apps", "v1", "Deployment", "io.k8s.api.apps.v1.Deployment"],
    ["autoscaling", "v1", "Scale", "io.k8s.api.autoscaling.v1.Scale"],
    ["autoscaling", "v2", "HorizontalPodAutoscaler", "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler"],
    ["policy", "v1", "Eviction", "io.k8s.api.policy.v1.Eviction"],
    ["authentication.k8s.io", "v1", "TokenRequest", "io.k8s.api.authentication.v1.TokenRequest"],
    ["authentication.k8s.io", "v1", "SelfSubjectReview", "io.k8s.api.authentication.v1.SelfSubjectReview"],
    ["", "v1", "Status", `${meta}.Status`],
    ["apps", "v1", "DeleteOptions", `${meta}.DeleteOptions`],
  ])("knows the type of %s %s %s", (group, version, kind, name) => {
    expect(table.ofKind(group, version, kind)?.name).toBe(name);
  });

  test.each([
    ["", "v1", "Deployment"],
    ["apps", "v2", "Deployment"],
    ["example.com", "v1", "Widget"],
    ["__proto__", "v1", "constructor"],
  ])("knows no type of %s %s %s", (group, version, kind) => {
    expect(table.ofKind(group, version, kind)).toBeUndefined();
  });

  test("throws for a type that is not there", () => {
    expect(() => table.object("toString")).toThrow("the schema table has no type toString");
  });
});

describe("fields", () => {
  test("carry merge keys and list types", () => {
    expect(field(`${core}.PodSpec`, "containers")).toMatchObject({
      required: true,
      listType: "map",
      listMapKeys: ["name"],
      patchStrategies: ["merge"],
      patchMergeKey: "name",
    });
    expect(field(`${core}.Container`, "ports")).toMatchObject({
      listType: "map",
      listMapKeys: ["containerPort", "protocol"],
      patchStrategies: ["merge"],
      patchMergeKey: "containerPort",
    });
    expect(field("io.k8s.api.apps.v1.DeploymentSpec", "strategy").patchStrategies).toEqual(["retainKeys"]);
    expect(field(`${core}.PodSpec`, "volumes").patchStrategies).toEqual(["merge", "retainKeys"]);
    expect(field("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", "selector").patchStrategies).toEqual(["replace"]);
    expect(field(`${core}.PodSpec`, "nodeSelector").mapType).toBe("atomic");
    expect(field(`${meta}.ObjectMeta`, "finalizers")).toMatchObject({ listType: "set", patchMergeKey: undefined });
    expect(table.object(`${meta}.LabelSelector`).mapType).toBe("atomic");
  });

  test("carry defaults and enums, a zero value only behind a pointer", () => {
    expect(field(`${core}.ServicePort`, "protocol")).toMatchObject({ default: "TCP", enum: ["SCTP", "TCP", "UDP"] });
    expect(field(`${core}.ReplicationControllerSpec`, "replicas").default).toBe(1);
    expect(field(`${core}.ServiceSpec`, "ipFamilies").enum).toEqual(["", "IPv4", "IPv6"]);
    expect(field(`${core}.FileKeySelector`, "optional").default).toBe(false);
    expect(field(`${core}.Container`, "name").default).toBeUndefined();
  });

  test("say what Go holds by pointer and what it leaves out of JSON", () => {
    expect(field("io.k8s.api.apps.v1.DeploymentSpec", "replicas")).toMatchObject({ pointer: true, omitEmpty: true });
    expect(field(`${core}.ContainerPort`, "containerPort")).toMatchObject({ pointer: false, omitEmpty: false });
    expect(field(`${core}.ContainerPort`, "hostPort")).toMatchObject({ pointer: false, omitEmpty: true });
    expect(field(`${core}.Container`, "resources")).toMatchObject({ pointer: false, omitEmpty: false });
    expect(field(`${core}.Event`, "firstTimestamp")).toMatchObject({ pointer: false, omitEmpty: false });
    expect(field(`${meta}.ObjectMeta`, "creationTimestamp")).toMatchObject({ pointer: false, omitEmpty: true });
  });

  test.each<[string, string, TypeRef]>([
    [`${core}.Secret`, "data", { kind: "map", value: { kind: "bytes" } }],
    [`${core}.ResourceRequirements`, "limits", { kind: "map", value: { kind: "quantity" } }],
    [`${core}.ServicePort`, "targetPort", { kind: "intOrString" }],
    [`${meta}.ManagedFieldsEntry`, "fieldsV1", { kind: "json" }],
    ["io.k8s.api.coordination.v1.LeaseSpec", "renewTime", { kind: "microTime" }],
    [
      "io.k8s.api.authentication.v1.UserInfo",
      "extra",
      { kind: "map", value: { kind: "list", item: { kind: "string" } } },
    ],
    [`${core}.PodSpec`, "containers", { kind: "list", item: { kind: "object", name: `${core}.Container` } }],
  ])("%s.%s has its type", (type, name, ref) => {
    expect(field(type, name).type).toEqual(ref);
  });

  test("have the numbers of the wire, those of embedded structs within their message", () => {
    expect(field(`${core}.PodSpec`, "containers").protobufNumber).toBe(2);
    expect(field(`${core}.Volume`, "name")).toMatchObject({ protobufNumber: 1 });
    expect(field(`${core}.Volume`, "configMap")).toMatchObject({ protobufNumber: 19, protobufWithin: 2 });
    expect(field(`${core}.Pod`, "kind").protobufNumber).toBeUndefined();
  });

  test("stand in the order of the Go struct", () => {
    expect([...table.object(`${core}.Pod`).fields.keys()]).toEqual([
      "kind",
      "apiVersion",
      "metadata",
      "spec",
      "status",
    ]);
    expect([...table.object(`${core}.Volume`).fields.keys()].slice(0, 3)).toEqual(["name", "hostPath", "emptyDir"]);
  });
});

describe("resources", () => {
  const named = (resource: string, group = "") =>
    table.resources.find((each) => each.resource === resource && each.group === group);

  test("are all there, core first", () => {
    expect(table.resources).toHaveLength(61);
    expect(table.resources[0]?.resource).toBe("bindings");
    expect(new Set(table.resources.map(({ group }) => group)).size).toBe(19);
  });

  test("resources have the facts of discovery", () => {
    expect(named("pods")).toMatchObject({
      singular: "pod",
      kind: "Pod",
      namespaced: true,
      shortNames: ["po"],
      categories: ["all"],
    });
    expect(named("deployments", "apps")).toMatchObject({
      shortNames: ["deploy"],
      storageVersionHash: "8aSe+NMegvE=",
      subresources: [
        { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] },
        { name: "status", group: "apps", version: "v1", kind: "Deployment" },
      ],
    });
    expect(named("selfsubjectaccessreviews", "authorization.k8s.io")).toMatchObject({ verbs: ["create"] });
    expect(named("selfsubjectaccessreviews", "authorization.k8s.io")?.storageVersionHash).toBeUndefined();
  });
});
