// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../../base/assert.ts";
import { resourceIdText } from "../../../model/gvr.ts";
import { type DraftObject, getKey, type JsonObject, setKey } from "../../json/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../json/json-fields.ts";
import type { Resource } from "../../resources/resource.ts";
import type { ResourceFacts, SubresourceFacts } from "../../schema/schema.ts";
import { cannotBeHandled } from "../../schema-decode/decoding-refusals.ts";
import { toSentence } from "../../status/field-error.ts";
import { customPrinter } from "../../table/custom-columns.ts";
import { type CompiledSchema, compileSchema } from "../schema/compile-schema.ts";
import { decodeObjectMeta } from "../value/decode-object-meta.ts";
import { type CrdVersion, hasValue, namesOf, versionsOf } from "./crd-accessors.ts";
import { isConditionTrue } from "./crd-conditions.ts";
import { createCustomStrategy } from "./custom-strategy.ts";
import { hasStatusSubresource } from "./validate-crd-version.ts";
import { scalePathsOf } from "./validate-scale.ts";

/** The resource of a CustomResourceDefinition at one version. */
export interface CustomResource extends Resource {
  /** Ignores the body's text. The parser reports repeated keys. */
  readonly clean: (body: DraftObject) => ReturnType<Resource["clean"]>;
  readonly schema: CompiledSchema;
  /** The definition's schema, unchanged, for OpenAPI documents. */
  readonly rawSchema: JsonObject;
  /** The warning of every response for a deprecated version; undefined for others. */
  readonly deprecationWarning: string | undefined;
  /** Whether the definition is being deleted. Creates are then refused. */
  readonly isTerminating: boolean;
}

/** In the order of kube-apiserver's discovery. */
const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const partVerbs = ["get", "patch", "update"];

/**
 * Compiles the resource of a definition that has passed `validateCrd` and has accepted names. `versionName` must be one
 * of its versions. Compile once for each change of the definition: the cost is proportional to the schema.
 */
export function compileCrd(crd: JsonObject, versionName: string): CustomResource {
  const version = versionsOf(crd).find(({ name }) => name === versionName);
  assert(version !== undefined, `the definition has no version ${versionName}`);
  const rawSchema = version.schema ?? {};
  const schema = compileSchema(rawSchema);
  const facts = factsOf(crd, version);
  const scale = scalePathsOf(objectAt(version.raw, "subresources", "scale"));
  const names = acceptedNamesOf(crd);
  return {
    facts,
    listKind: names.listKind,
    storageId: resourceIdText(facts),
    isCustom: true,
    strategy: createCustomStrategy(schema, hasStatusSubresource(version.raw), scale),
    printer: customPrinter(objectsAt(version.raw, "additionalPrinterColumns")),
    scale,
    clean: (body) => cleanBody(body, schema, facts),
    ...(hasChanged(crd) ? { fromStorage: (object: DraftObject) => renew(object, schema) } : {}),
    schema,
    rawSchema,
    deprecationWarning: deprecationOf(version, facts),
    isTerminating: isConditionTrue(crd, "Terminating"),
  };
}

/** Whether the definition was ever changed. Objects stored before may lack defaults or have unknown fields. */
function hasChanged(crd: JsonObject): boolean {
  return numberAt(crd, "metadata", "generation") !== 1;
}

function renew(object: DraftObject, schema: CompiledSchema): void {
  schema.prune(object);
  schema.setDefaults(object);
}

function cleanBody(
  body: DraftObject,
  schema: CompiledSchema,
  { kind, version }: ResourceFacts,
): ReturnType<Resource["clean"]> {
  const refuse = (because: string): never => {
    throw cannotBeHandled({ version, kind }, because);
  };
  const metadata = getKey(body, "metadata");
  const decoded = metadata === undefined ? undefined : decodeObjectMeta(metadata);
  if (decoded?.error !== undefined) return refuse(decoded.error);
  const pruned = schema.prune(body);
  const embedded = schema.cleanEmbedded(body);
  if (embedded.error !== undefined) return refuse(toSentence(embedded.error));
  if (decoded !== undefined) setKey(body, "metadata", decoded.meta);
  const unknown = [...(decoded?.unknown ?? []).map((path) => `metadata.${path}`), ...pruned, ...embedded.dropped];
  return { object: body, complaints: unknown.map((path) => `unknown field "${path}"`) };
}

function acceptedNamesOf(crd: JsonObject): ReturnType<typeof namesOf> {
  const accepted = namesOf(objectAt(crd, "status", "acceptedNames"));
  return accepted.plural === "" ? namesOf(objectAt(crd, "spec", "names")) : accepted;
}

function factsOf(crd: JsonObject, { name: version, raw }: CrdVersion): ResourceFacts {
  const group = textAt(crd, "spec", "group") ?? "";
  const { plural, singular, kind, shortNames, categories } = acceptedNamesOf(crd);
  const status: SubresourceFacts = { name: "status", group, version, kind, verbs: partVerbs };
  const scale = { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: partVerbs };
  return {
    group,
    version,
    resource: plural,
    singular,
    kind,
    namespaced: textAt(crd, "spec", "scope") === "Namespaced",
    verbs,
    shortNames,
    categories,
    subresources: [
      ...(hasStatusSubresource(raw) ? [status] : []),
      ...(hasValue(raw, "subresources", "scale") ? [scale] : []),
    ],
    storageVersionHash: undefined,
  };
}

function deprecationOf({ raw, name }: CrdVersion, { group, kind }: ResourceFacts): string | undefined {
  if (getKey(raw, "deprecated") !== true) return undefined;
  return textAt(raw, "deprecationWarning") ?? `${group}/${name} ${kind} is deprecated`;
}
