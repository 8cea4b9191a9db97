// SPDX-License-Identifier: Apache-2.0
// A create as the strategies of the core kinds see it, without a server around them.

import { createCoreStrategies } from "../../../src/apiserver/builtin/core/core-strategies.ts";
import {
  copyJson,
  type DraftObject,
  ensureObject,
  getKey,
  isEqualJson,
  type JsonObject,
} from "../../../src/apiserver/json/json.ts";
import { textAt } from "../../../src/apiserver/json/json-fields.ts";
import { generateName } from "../../../src/apiserver/metadata/generate-name.ts";
import { dnsSubdomainErrors } from "../../../src/apiserver/metadata/name-rules.ts";
import { validateObjectMeta } from "../../../src/apiserver/metadata/object-meta.ts";
import type { ObjectReader } from "../../../src/apiserver/resources/object-reader.ts";
import type { Strategy } from "../../../src/apiserver/resources/strategy.ts";
import { loadSchemaTable } from "../../../src/apiserver/schema/load-schema-table.ts";
import type { ResourceFacts } from "../../../src/apiserver/schema/schema.ts";
import { cleanTyped } from "../../../src/apiserver/schema-decode/clean-typed.ts";
import { ApiError, invalid } from "../../../src/apiserver/status/api-error.ts";
import type { FieldError } from "../../../src/apiserver/status/field-error.ts";
import { toStatus } from "../../../src/apiserver/status/status-object.ts";
import { createSeededRandom } from "../../../src/base/random.ts";
import type { CoreCase } from "./core-case.ts";

const table = loadSchemaTable();
/** The range that the real server of the kit has. */
const strategies = createCoreStrategies({ clusterIpRange: "10.0.0.0/24" });

/** The objects that the real server has too, as far as Pods depend on them. */
const objects: ObjectReader = {
  get: (resource, namespace, name) =>
    resource === "serviceaccounts" && namespace === "default" && name === "default"
      ? { metadata: { namespace, name } }
      : undefined,
  list: () => [],
};

interface Kind {
  readonly facts: ResourceFacts;
  readonly strategy: Strategy;
  readonly clean: (body: JsonObject) => DraftObject;
}

function kindOf(resource: string): Kind {
  const facts = table.resources.find((each) => each.group === "" && each.resource === resource);
  const schema = facts === undefined ? undefined : table.ofKind("", "v1", facts.kind);
  const strategy = strategies[resource];
  if (facts === undefined || schema === undefined || strategy === undefined) throw new Error(`no kind ${resource}`);
  const { kind } = facts;
  const clean = (body: JsonObject): DraftObject =>
    cleanTyped(table, schema, { ...copyJson(body), kind, apiVersion: "v1" }, { version: "v1", kind }).object;
  return { facts, strategy, clean };
}

/** The object as it would be created, or the Status of the refusal. */
export function createHere({ resource, body }: CoreCase): JsonObject {
  const { facts, strategy, clean } = kindOf(resource);
  const random = createSeededRandom(resource);
  return orStatus(() => {
    const object = clean(body);
    strategy.setDefaults?.(object);
    const metadata = ensureObject(object, "metadata");
    if (facts.namespaced) metadata["namespace"] = "default";
    const prefix = textAt(metadata, "generateName") ?? "";
    if (prefix !== "") metadata["name"] = generateName(prefix, random);
    strategy.prepareForCreate?.(object, { nowMs: 0, random, userName: "admin", isDryRun: true, objects });
    if (strategy.countsGenerations === true) metadata["generation"] = 1;
    throwIfWrong(facts, object, [
      ...validateObjectMeta(metadata, {
        namespaced: facts.namespaced,
        nameErrors: strategy.nameErrors ?? dnsSubdomainErrors,
        builtin: true,
      }),
      ...(strategy.validate?.(object) ?? []),
    ]);
    return object;
  });
}

/** The object as it would be after the update of what the real server stored, or the Status of the refusal. */
export function updateHere(resource: string, body: JsonObject, stored: JsonObject): JsonObject {
  const { facts, strategy, clean } = kindOf(resource);
  return orStatus(() => {
    const object = clean(body);
    const old = clean(stored);
    strategy.setDefaults?.(object);
    strategy.prepareForUpdate?.(object, old, {
      nowMs: 0,
      random: createSeededRandom(resource),
      userName: "admin",
      isDryRun: true,
      objects,
    });
    const isChanged = !isEqualJson(getKey(object, "spec") ?? null, getKey(old, "spec") ?? null);
    if (strategy.countsGenerations === true && isChanged) ensureObject(object, "metadata")["generation"] = 2;
    throwIfWrong(facts, object, [
      ...(strategy.validate?.(object) ?? []),
      ...(strategy.validateUpdate?.(object, old) ?? []),
    ]);
    return object;
  });
}

function throwIfWrong(facts: ResourceFacts, object: JsonObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(facts, textAt(object, "metadata", "name") ?? "", errors);
}

function orStatus(create: () => JsonObject): JsonObject {
  try {
    return create();
  } catch (reason) {
    if (reason instanceof ApiError) return toStatus(reason);
    throw reason;
  }
}
