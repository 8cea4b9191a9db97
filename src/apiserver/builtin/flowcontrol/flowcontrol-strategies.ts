// SPDX-License-Identifier: Apache-2.0
// FlowSchemas and PriorityLevelConfigurations are stored only. They have no effect: this server does not queue
// requests.

import { type DraftObject, ensureObject, type JsonObject } from "../../json/json.ts";
import { objectAt, textOf } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, requiredValue } from "../../status/field-error.ts";
import { setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { validateChoice } from "../pod-spec/text-rules.ts";

/** Kubernetes' defaults: precedence of a schema, shares of a priority level, and its queues. */
const defaultPrecedence = 1_000;
const defaultShares = 30;
const defaultQueuing = { queues: 64, handSize: 8, queueLengthLimit: 50 };

function validateSchema(object: JsonObject): readonly FieldError[] {
  if (textOf(object, "spec", "priorityLevelConfiguration", "name") !== "") return [];
  return [requiredValue("spec.priorityLevelConfiguration.name", "must reference a priority level")];
}

function setLevelDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  const exempt = objectAt(spec, "exempt");
  if (exempt !== undefined) {
    setIfAbsent(exempt, "nominalConcurrencyShares", 0);
    setIfAbsent(exempt, "lendablePercent", 0);
  }
  const limited = objectAt(spec, "limited");
  if (limited === undefined) return;
  setIfAbsent(limited, "nominalConcurrencyShares", defaultShares);
  setIfAbsent(limited, "lendablePercent", 0);
  const queuing = objectAt(limited, "limitResponse", "queuing");
  if (queuing !== undefined) for (const [key, value] of Object.entries(defaultQueuing)) setIfEmpty(queuing, key, value);
}

const withStatus: Strategy = {
  prepareForCreate: resetStatus({}),
  prepareForUpdate: keepStatus,
  countsGenerations: true,
  allowsUnconditionalUpdate: false,
};

/** FlowSchemas. */
export const flowSchemaStrategy: Strategy = {
  ...withStatus,
  setDefaults: (object) => setIfEmpty(ensureObject(object, "spec"), "matchingPrecedence", defaultPrecedence),
  validate: validateSchema,
};

/** PriorityLevelConfigurations. */
export const priorityLevelStrategy: Strategy = {
  ...withStatus,
  setDefaults: setLevelDefaults,
  validate: (object) => validateChoice("spec.type", textOf(object, "spec", "type"), ["Exempt", "Limited"]),
};
