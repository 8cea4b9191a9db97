// SPDX-License-Identifier: Apache-2.0
// What our strategies make of an object, by the steps that src/apiserver/verbs takes.

import { strategyFor } from "../../../src/apiserver/builtin/builtin-strategies.ts";
import {
  type AccessReviewKind,
  answerAccessReview,
  checkAccessReview,
} from "../../../src/apiserver/builtin/reviews/access-review.ts";
import {
  copyJson,
  type DraftObject,
  ensureObject,
  isEqualJson,
  type JsonObject,
} from "../../../src/apiserver/json/json.ts";
import { valueAt } from "../../../src/apiserver/json/json-fields.ts";
import type { Resource } from "../../../src/apiserver/resources/resource.ts";
import type { WriteContext } from "../../../src/apiserver/resources/strategy.ts";
import { loadSchemaTable } from "../../../src/apiserver/schema/load-schema-table.ts";
import { cleanTyped } from "../../../src/apiserver/schema-decode/clean-typed.ts";
import { ApiError } from "../../../src/apiserver/status/api-error.ts";
import { checkChanged, checkChangedPart, checkNew } from "../../../src/apiserver/verbs/check-object.ts";
import { createSeededRandom } from "../../../src/base/random.ts";

/** The object as it would be stored, or why it is refused. */
export type Judgement = { readonly object: JsonObject } | { readonly refusal: ApiError };

const context: WriteContext = {
  nowMs: 0,
  random: createSeededRandom(1),
  userName: "admin",
  objects: { get: () => undefined, list: () => [] },
};

/** `apps/v1/deployments` as a resource of ours. */
export function resourceOf(path: string): Resource {
  const [group = "", version = "", resource = ""] = path.split("/");
  const facts = loadSchemaTable().resources.find(
    (each) => each.group === group && each.version === version && each.resource === resource,
  );
  if (facts === undefined) throw new Error(`the schema table has no resource ${path}`);
  return {
    // The real server speaks of Events as of those of the core group, in whose shape it holds them.
    facts: group === "events.k8s.io" ? { ...facts, group: "" } : facts,
    listKind: `${facts.kind}List`,
    storageId: `${group}/${resource}`,
    isCustom: false,
    strategy: strategyFor(group, resource, version),
    printer: { columns: [], row: () => ({ cells: [] }) },
    scale: undefined,
    clean: (object) => ({ object, complaints: [] }),
  };
}

/** The body as the server would hold it. */
function cleanBody({ facts, storageId }: Resource, body: DraftObject): DraftObject {
  const table = loadSchemaTable();
  const [group = ""] = storageId.split("/");
  const schema = table.ofKind(group, facts.version, facts.kind);
  if (schema === undefined) throw new Error(`the schema table has no kind ${facts.kind}`);
  return cleanTyped(table, schema, body, facts).object;
}

/** A create, with a uid and time that the server chose. */
export function judgeCreate(resource: Resource, body: JsonObject, chosen: JsonObject): Judgement {
  const { facts, strategy } = resource;
  const object = cleanBody(resource, copyJson(body));
  object["kind"] = facts.kind;
  object["apiVersion"] = resource.storageId.replace(/[^/]*$/, facts.version);
  return judge(() => {
    strategy.setDefaults?.(object);
    const metadata = ensureObject(object, "metadata");
    if (facts.namespaced) metadata["namespace"] = "default";
    for (const [key, value] of Object.entries(chosen)) metadata[key] = copyJson(value);
    strategy.prepareForCreate?.(object, context);
    if (strategy.countsGenerations === true) metadata["generation"] = 1;
    checkNew(resource, object);
    return object;
  });
}

/** An update of an object that is there, or of its status. */
export function judgeUpdate(resource: Resource, body: DraftObject, old: JsonObject, isStatus: boolean): Judgement {
  const { strategy } = resource;
  return judge(() => {
    const wanted = cleanBody(resource, body);
    strategy.setDefaults?.(wanted);
    if (isStatus) {
      checkChangedPart(resource, wanted, old, "status");
      return wanted;
    }
    strategy.prepareForUpdate?.(wanted, old, context);
    if (strategy.countsGenerations === true) countGeneration(wanted, old);
    checkChanged(resource, wanted, old);
    return wanted;
  });
}

/** The answer to an access review about somebody without rights. */
export function judgeReview(kind: AccessReviewKind, review: JsonObject, namespace: string): Judgement {
  return judge(() => {
    checkAccessReview(kind, review, namespace);
    return answerAccessReview(kind, review, { decision: "noOpinion", reason: "", errors: [] });
  });
}

function judge(run: () => DraftObject): Judgement {
  try {
    return { object: run() };
  } catch (reason) {
    if (reason instanceof ApiError) return { refusal: reason };
    throw reason;
  }
}

function countGeneration(wanted: DraftObject, old: JsonObject): void {
  const desired = ({ metadata: _metadata, status: _status, ...rest }: JsonObject): JsonObject => rest;
  const generation = valueAt(old, "metadata", "generation");
  if (isEqualJson(desired(wanted), desired(old))) return;
  ensureObject(wanted, "metadata")["generation"] = Number(generation ?? 0) + 1;
}
