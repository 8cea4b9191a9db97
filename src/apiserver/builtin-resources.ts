// SPDX-License-Identifier: Apache-2.0
import { createResourceId, resourceIdText } from "../model/gvr.ts";
import { hpaV1FromV2, hpaV2FromV1 } from "./builtin/autoscaling/hpa-conversion.ts";
import { strategyFor } from "./builtin/builtin-strategies.ts";
import { type CoreOptions, createCoreStrategies } from "./builtin/core/core-strategies.ts";
import { deletionRules } from "./builtin/deletion-rules.ts";
import { coreFromEventV1, eventV1FromCore } from "./builtin/events/event-conversion.ts";
import { crdStrategy } from "./crd/definition/crd-strategy.ts";
import { type DraftObject, deleteKey, type JsonObject, setKey } from "./json/json.ts";
import type { Resource, ScalePaths } from "./resources/resource.ts";
import type { Strategy } from "./resources/strategy.ts";
import type { ResourceFacts, SchemaTable } from "./schema/schema.ts";
import { cleanTyped } from "./schema-decode/clean-typed.ts";
import { printerFor } from "./table/printers.ts";

/** Conversions of versions that are not the stored one. */
const conversions: Readonly<Record<string, Required<Pick<Resource, "fromStorage" | "toStorage">>>> = {
  "events.k8s.io/v1/events": { fromStorage: inPlace(eventV1FromCore), toStorage: inPlace(coreFromEventV1) },
  "autoscaling/v1/horizontalpodautoscalers": { fromStorage: inPlace(hpaV1FromV2), toStorage: inPlace(hpaV2FromV1) },
};

/** Kinds whose completed delete responds with the object. */
const returnedWhenDeleted: ReadonlySet<string> = new Set([
  "namespaces",
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "resourcequotas",
  "serviceaccounts",
  "services",
  "storage.k8s.io/csidrivers",
  "storage.k8s.io/csinodes",
  "storage.k8s.io/storageclasses",
  "storage.k8s.io/volumeattachments",
  "storage.k8s.io/volumeattributesclasses",
]);

const registration = "admissionregistration.k8s.io";

/** Kinds that are not enforced. Creating them is refused: accepting and ignoring them would be worse. */
const refusals: ReadonlyMap<string, string> = new Map([
  ["resourcequotas", "ResourceQuotas are not enforced here yet, so none can be created"],
  ...["mutating", "validating"].flatMap((sort): [string, string][] => [
    [
      `${registration}/${sort}webhookconfigurations`,
      "Admission webhooks are not called here yet, so none can be configured",
    ],
    [
      `${registration}/${sort}admissionpolicies`,
      "Admission policies are not evaluated here yet, so none can be created",
    ],
    [
      `${registration}/${sort}admissionpolicybindings`,
      "Admission policies are not evaluated here yet, so none can be bound",
    ],
  ]),
]);

/** All built-in resources. */
export function createBuiltinResources(table: SchemaTable, options: CoreOptions = {}): readonly Resource[] {
  const core = createCoreStrategies(options);
  return table.resources.map((facts) => createBuiltin(table, facts, strategyOf(facts, core)));
}

function strategyOf({ group, version, resource }: ResourceFacts, core: Readonly<Record<string, Strategy>>): Strategy {
  const strategy =
    group === ""
      ? core[resource]
      : group === "apiextensions.k8s.io"
        ? crdStrategy
        : strategyFor(group, resource, version);
  const id = resourceIdText({ group, resource });
  const prepareForDelete = deletionRules[id];
  const refusal = refusals.get(id);
  return {
    ...strategy,
    ...(prepareForDelete === undefined ? {} : { prepareForDelete }),
    ...(returnedWhenDeleted.has(id) ? { returnsDeleted: true } : {}),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

function createBuiltin(table: SchemaTable, facts: ResourceFacts, strategy: Strategy): Resource {
  const { group, version, kind, resource } = facts;
  return {
    facts,
    listKind: `${kind}List`,
    storageId: resourceIdText(createResourceId(group, resource)),
    isCustom: false,
    strategy,
    printer: printerFor(group, version, kind),
    scale: scaleOf(facts),
    clean: (body, parsed) => {
      const schema = table.ofKind(group, version, kind);
      if (schema === undefined) throw new Error(`the schema table has no ${group}/${version} ${kind}`);
      return cleanTyped(table, schema, body, { version, kind, parsed });
    },
    ...conversions[`${group}/${version}/${resource}`],
  };
}

/** All built-in kinds with a scale have the same paths. A ReplicationController's selector is a map of labels. */
function scaleOf({ subresources }: ResourceFacts): ScalePaths | undefined {
  if (!subresources.some(({ name }) => name === "scale")) return undefined;
  return {
    specReplicas: ["spec", "replicas"],
    statusReplicas: ["status", "replicas"],
    labelSelector: ["spec", "selector"],
  };
}

/** Converts a function that returns a new object to one that changes its argument. */
function inPlace(convert: (object: JsonObject) => DraftObject): (object: DraftObject) => void {
  return (object) => {
    const converted = convert(object);
    for (const key of Object.keys(object)) deleteKey(object, key);
    for (const [key, value] of Object.entries(converted)) setKey(object, key, value);
  };
}
