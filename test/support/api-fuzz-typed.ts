// SPDX-License-Identifier: Apache-2.0
// Objects of any built-in kind whose fields have the right types, whatever they say: they get past decoding, to
// defaults, validation and printers.
import { type Draft, type DraftObject, setKey } from "../../src/apiserver/json/json.ts";
import type { ResourceFacts, SchemaTable, TypeRef } from "../../src/apiserver/schema/schema.ts";
import type { Random } from "../../src/base/random.ts";
import { chance, drawKey, drawNumber, drawText, drawValue, pick } from "./api-fuzz-values.ts";

/** Deeper than most fields of a Pod are; below, objects are empty. */
const maxDepth = 7;

const quantities = ["0", "1", "100m", "1Gi", "-1", "1e6", "0.5Ki", "9223372036854775807", "1n", "3E"];
const times = ["2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2026-01-01T00:00:00.123456Z", "0001-01-01T00:00:00Z"];

/** A random object of the kind, with a plain name, so that much of it is accepted. */
export function drawTypedObject(random: Random, table: SchemaTable, facts: ResourceFacts, name: string): DraftObject {
  const schema = table.ofKind(facts.group, facts.version, facts.kind);
  const object: DraftObject = {};
  if (schema !== undefined) {
    for (const { name: field, type, required } of schema.fields.values()) {
      if (["apiVersion", "kind", "metadata"].includes(field)) continue;
      if (required || !chance(random, 4)) setKey(object, field, drawTyped(random, table, type, 1));
    }
  }
  object["apiVersion"] = facts.group === "" ? facts.version : `${facts.group}/${facts.version}`;
  object["kind"] = facts.kind;
  object["metadata"] = { name, ...drawMetadata(random) };
  return object;
}

function drawMetadata(random: Random): DraftObject {
  const drawn: DraftObject = {};
  if (chance(random, 2)) drawn["labels"] = { app: pick(random, ["web", "db", ""]), tier: "x" };
  if (chance(random, 4)) drawn["annotations"] = { note: drawText(random) };
  if (chance(random, 8)) drawn["finalizers"] = [pick(random, ["example.com/keep", "orphan", "foregroundDeletion"])];
  if (chance(random, 8))
    drawn["ownerReferences"] = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: pick(random, ["u", "v"]) }];
  return drawn;
}

function drawTyped(random: Random, table: SchemaTable, type: TypeRef, depth: number): Draft {
  switch (type.kind) {
    case "object":
      return drawTypedFields(random, table, type.name, depth);
    case "list":
      return depth > maxDepth
        ? []
        : Array.from({ length: random.int(3) }, () => drawTyped(random, table, type.item, depth + 1));
    case "map": {
      const map: DraftObject = {};
      for (let count = depth > maxDepth ? 0 : random.int(3); count > 0; count -= 1)
        setKey(
          map,
          chance(random, 4) ? drawKey(random) : pick(random, ["a", "cpu", "memory", "app"]),
          drawTyped(random, table, type.value, depth + 1),
        );
      return map;
    }
    default:
      return drawScalar(random, type.kind);
  }
}

function drawTypedFields(random: Random, table: SchemaTable, name: string, depth: number): Draft {
  const object: DraftObject = {};
  if (depth > maxDepth) return object;
  for (const { name: field, type, required, enum: values } of table.object(name).fields.values()) {
    if (!required && !chance(random, 3 + depth)) continue;
    const value =
      values !== undefined && !chance(random, 6) ? pick(random, values) : drawTyped(random, table, type, depth + 1);
    setKey(object, field, value);
  }
  return object;
}

function drawScalar(random: Random, kind: Exclude<TypeRef["kind"], "object" | "list" | "map">): Draft {
  switch (kind) {
    case "string":
      return chance(random, 3)
        ? drawText(random)
        : pick(random, ["a", "web", "x-y", "10.0.0.7", "Always", "1", "RollingUpdate", "TCP"]);
    case "boolean":
      return chance(random, 2);
    case "int32":
      return chance(random, 3) ? pick(random, [0, -1, 2147483647, -2147483648]) : random.int(100);
    case "int64":
      return chance(random, 3) ? pick(random, [0, -1, 9223372036854775807n, -9223372036854775808n]) : random.int(1000);
    case "double":
      return drawNumber(random);
    case "bytes":
      return pick(random, ["", "YQ==", "////", "YWJj"]);
    case "time":
    case "microTime":
      return pick(random, times);
    case "duration":
      return pick(random, ["1s", "0s", "-1h", "2562047h47m16s"]);
    case "quantity":
      return pick(random, quantities);
    case "intOrString":
      return pick(random, [0, 1, 80, 65536, -1, "25%", "101%", "http", ""]);
    case "schemaOrBool":
      return pick(random, [true, false, { type: "string" }]);
    case "schemaOrList":
      return pick(random, [{ type: "string" }, [{ type: "object" }]]);
    case "schemaOrStrings":
      return pick(random, [["a"], { type: "object" }]);
    case "json":
      return drawValue(random);
  }
}
