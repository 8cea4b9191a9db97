// SPDX-License-Identifier: Apache-2.0
// CustomResourceDefinitions of every shape, most of them valid, some with patterns that make a backtracking matcher run
// for ever.
import { type Draft, type DraftObject, setKey } from "../../src/apiserver/json/json.ts";
import type { Random } from "../../src/base/random.ts";
import { chance, drawKey, drawNumber, drawText, drawValue, mutate, pick } from "./api-fuzz-values.ts";

/** A text on which the patterns below take a backtracking matcher longer than anybody waits. */
export const slowText = `${"a".repeat(50_000)}!`;

const patterns = [
  "^(a+)+$",
  "^(a|aa)+$",
  "^(a|a?)+$",
  "(x+x+)+y",
  "(.*)*$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(a{0,100}){0,100}$",
  "(?:a{1000}){1000}",
  "(?=a)b",
  "(a)\\1",
  "[",
  "\\p{Greek}+",
  "(?i)^[a-z]$",
  "^.{1,63}$",
  "",
];

const formats = [
  "date-time",
  "date",
  "byte",
  "int32",
  "ipv4",
  "ipv6",
  "cidr",
  "uuid",
  "email",
  "hostname",
  "duration",
  "password",
  "nonsense",
  "uri",
  "bsonobjectid",
  "creditcard",
];

const groups = ["fuzz.example.com", "deep.example.org"];
const plurals = ["widgets", "gadgets", "gizmos", "doodads"];

/** A definition, rarely broken on purpose. */
export function drawDefinition(random: Random): DraftObject {
  const plural = pick(random, plurals);
  const group = pick(random, groups);
  const kind = chance(random, 6) ? "Widget" : `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`;
  const definition: DraftObject = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: pick(random, ["Namespaced", "Namespaced", "Cluster"]),
      names: {
        plural,
        kind,
        ...(chance(random, 3) ? { shortNames: [pick(random, ["w", "g", "po"])], categories: ["all"] } : {}),
      },
      versions: [drawVersion(random)],
    },
  };
  return chance(random, 3) ? (mutate(random, definition) as DraftObject) : definition;
}

/** A status such as nobody but the server should write. */
export function drawDefinitionStatus(random: Random): Draft {
  const name = (): Draft => (chance(random, 2) ? drawText(random) : pick(random, plurals));
  const conditionTypes = ["Established", "NamesAccepted", "Terminating"];
  const status: DraftObject = {
    acceptedNames: { plural: name(), kind: name(), singular: name(), listKind: name(), shortNames: [name()] },
    conditions: conditionTypes.map((type) => ({ type, status: pick(random, ["True", "False", "Unknown"]) })),
    storedVersions: [pick(random, ["v1", "v9"])],
  };
  return chance(random, 2) ? mutate(random, status) : status;
}

function drawVersion(random: Random): DraftObject {
  const root: DraftObject = chance(random, 4)
    ? { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    : { type: "object", properties: { spec: drawSchema(random, 0), status: drawSchema(random, 0) } };
  return {
    name: pick(random, ["v1", "v1", "v1beta1"]),
    served: !chance(random, 10),
    storage: true,
    schema: { openAPIV3Schema: root },
    ...(chance(random, 2)
      ? {
          subresources: {
            status: {},
            ...(chance(random, 2) ? { scale: { specReplicasPath: ".spec.a", statusReplicasPath: ".status.a" } } : {}),
          },
        }
      : {}),
    ...(chance(random, 2)
      ? {
          additionalPrinterColumns: [
            {
              name: "A",
              type: pick(random, ["string", "integer", "date", "number", "boolean"]),
              jsonPath: pick(random, [
                ".spec.a",
                ".metadata.creationTimestamp",
                ".spec..a",
                ".spec.list[*].a",
                ".spec.list[?(@.a)]",
                ".",
                "[0]",
                ".a.b[-1]",
              ]),
            },
          ],
        }
      : {}),
  };
}

function drawSchema(random: Random, depth: number): DraftObject {
  switch (random.int(depth > 4 ? 4 : 8)) {
    case 0:
      return {
        type: "string",
        pattern: pick(random, patterns),
        ...(chance(random, 3) ? { maxLength: random.int(10) } : {}),
      };
    case 1:
      return {
        type: "string",
        format: pick(random, formats),
        ...(chance(random, 3) ? { default: drawText(random) } : {}),
      };
    case 2:
      return {
        type: pick(random, ["integer", "number"]),
        [pick(random, ["minimum", "maximum", "multipleOf"])]: drawNumber(random),
      };
    case 3:
      return { "x-kubernetes-int-or-string": true };
    case 4:
      return {
        type: "array",
        items: drawSchema(random, depth + 1),
        ...(chance(random, 2)
          ? { "x-kubernetes-list-type": pick(random, ["set", "atomic", "map"]), "x-kubernetes-list-map-keys": ["a"] }
          : {}),
      };
    case 5:
      return { type: "object", additionalProperties: drawSchema(random, depth + 1) };
    case 6:
      return {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        ...(chance(random, 3) ? { "x-kubernetes-embedded-resource": true } : {}),
      };
    default: {
      const properties: DraftObject = {};
      for (const key of ["a", "list", chance(random, 3) ? drawKey(random) : "b"])
        setKey(properties, key, drawSchema(random, depth + 1));
      return {
        type: "object",
        properties,
        ...(chance(random, 3) ? { required: ["a"] } : {}),
        ...(chance(random, 4) ? { default: drawValue(random) } : {}),
      };
    }
  }
}

/** An object of a definition's kind, with the names that schemas here have and values that they may take. */
export function drawCustomObject(random: Random, apiVersion: string, kind: string, name: string): DraftObject {
  const part = (depth: number): Draft => {
    if (depth > 4 || chance(random, 5)) return chance(random, 20) ? slowText : drawValue(random);
    if (chance(random, 4)) return [part(depth + 1), part(depth + 1)];
    return { a: part(depth + 1), list: [part(depth + 1)], b: part(depth + 1) };
  };
  const object: DraftObject = {
    apiVersion,
    kind,
    metadata: { name, labels: { app: "web" } },
    spec: part(0),
    status: part(0),
  };
  if (chance(random, 3)) setKey(object, drawKey(random), drawValue(random));
  object["metadata"] = { name, labels: { app: "web" } };
  return object;
}
