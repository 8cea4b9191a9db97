// SPDX-License-Identifier: Apache-2.0
// Types of responses only: partial metadata and discovery documents. The generated table has the types of requests.
import { parseType } from "../schema/parse-type.ts";
import type { FieldSchema, ObjectSchema, SchemaTable } from "../schema/schema.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** In the table's format: name, type, field number. */
const texts: Readonly<Record<string, string>> = {
  PartialObjectMetadata: "metadata ObjectMeta 1",
  PartialObjectMetadataList: "metadata ListMeta 1|items [PartialObjectMetadata 2",
  APIVersions: "versions [s 1|serverAddressByClientCIDRs [ServerAddressByClientCIDR 2",
  ServerAddressByClientCIDR: "clientCIDR s 1|serverAddress s 2",
  APIGroupList: "groups [APIGroup 1",
  APIGroup:
    "name s 1|versions [GroupVersionForDiscovery 2|preferredVersion GroupVersionForDiscovery 3|serverAddressByClientCIDRs [ServerAddressByClientCIDR 4",
  GroupVersionForDiscovery: "groupVersion s 1|version s 2",
  APIResourceList: "groupVersion s 1|resources [APIResource 2",
  APIResource:
    "name s 1|namespaced b 2|kind s 3|verbs Verbs 4|shortNames [s 5|singularName s 6|categories [s 7|group s 8|version s 9|storageVersionHash s 10",
  Verbs: "items [s 1",
};

/** The table with the response types. Their kinds are known in any group and version. */
export function withAnswerTypes(table: SchemaTable): SchemaTable {
  const own = new Map(Object.entries(texts).map(([goName, text]) => [`${meta}.${goName}`, toSchema(goName, text)]));
  return {
    ...table,
    object: (name) => own.get(name) ?? table.object(name),
    ofKind: (group, version, kind) => own.get(`${meta}.${kind}`) ?? table.ofKind(group, version, kind),
  };
}

function toSchema(goName: string, text: string): ObjectSchema {
  const { members } = parseType(text, (short) => `${meta}.${short}`);
  const fields = members.flatMap((member): [string, FieldSchema][] =>
    "name" in member ? [[member.name, member]] : [],
  );
  return { name: `${meta}.${goName}`, goName, mapType: undefined, fields: new Map(fields) };
}
