// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { kubernetesSchema } from "../../gen/kubernetes/schema-table.ts";
import { type FullName, parseType } from "./parse-type.ts";
import type { FieldSchema, ObjectSchema, ResourceFacts, SchemaTable, WireField } from "./schema.ts";

/** The content of the generated module. Types are unparsed texts. */
interface TableText {
  readonly version: string;
  readonly resources: readonly (Omit<ResourceFacts, "storageVersionHash"> & { readonly storageVersionHash?: string })[];
  readonly packages: readonly string[];
  readonly kinds: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, string>>;
}

let loaded: SchemaTable | undefined;

/**
 * The table of built-in kinds, one per process. Loading takes about a millisecond. Each type is parsed at its first use
 * and kept. An enum of a list or map applies to its values. `DeleteOptions` is a kind of every group and version.
 */
export function loadSchemaTable(): SchemaTable {
  loaded ??= createTable(JSON.parse(kubernetesSchema) as TableText);
  return loaded;
}

const deleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

function createTable({ version, resources, packages, kinds, types }: TableText): SchemaTable {
  const toFullName =
    (home: string): FullName =>
    (short) => {
      const colon = short.indexOf(":");
      return colon === -1 ? `${home}.${short}` : `${packages[Number(short.slice(0, colon))]}.${short.slice(colon + 1)}`;
    };
  const anywhere = toFullName("");
  const textOf = new Map(Object.entries(types).map(([short, text]) => [anywhere(short), text]));
  const nameOfKind = new Map(Object.entries(kinds).map(([kind, short]) => [kind, anywhere(short)]));
  const parsed = new Map<string, ObjectSchema>();
  const object = (name: string): ObjectSchema => {
    const known = parsed.get(name);
    if (known !== undefined) return known;
    const text = textOf.get(name);
    assert(text !== undefined, `the schema table has no type ${name}`);
    const at = name.lastIndexOf(".");
    const { mapType, members } = parseType(text, toFullName(name.slice(0, at)));
    const fields = new Map<string, FieldSchema>();
    for (const member of members) {
      if ("name" in member) fields.set(member.name, member);
      else
        for (const field of object(member.inlined.name).fields.values())
          fields.set(field.name, inlineField(field, member.inlined.protobufNumber));
    }
    const made: ObjectSchema = { name, goName: name.slice(at + 1), mapType, fields };
    parsed.set(name, made);
    return made;
  };
  return {
    kubernetesVersion: version,
    resources: resources.map((each) => ({ ...each, storageVersionHash: each.storageVersionHash })),
    object,
    ofKind: (group, version, kind) => {
      if (kind === "DeleteOptions") return object(deleteOptions);
      const name = nameOfKind.get(group === "" ? `${version}/${kind}` : `${group}/${version}/${kind}`);
      return name === undefined ? undefined : object(name);
    },
  };
}

/**
 * A field of an inlined struct. On the wire it is in the struct's message, or absent (the kind and version of an
 * object). Fields of a struct inlined in an inlined one are not read from the wire: only rules of admission policies
 * have them, and policies are refused.
 */
function inlineField(field: WireField, within: number | undefined): WireField {
  const isOnWire = within !== undefined && field.protobufWithin === undefined;
  return isOnWire ? { ...field, protobufWithin: within } : { ...field, protobufNumber: undefined };
}
