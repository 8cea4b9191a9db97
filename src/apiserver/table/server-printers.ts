// SPDX-License-Identifier: Apache-2.0
// Kinds of the API server: flow control, certificate signing requests, admission policies.

import { type Json, type JsonObject } from "../json/json.ts";
import { numberAt, objectsAt, textOf } from "../json/json-fields.ts";
import { humanDuration } from "./age.ts";
import { ageCell, countCell, nameOf, textOr } from "./cells.ts";
import { ageColumn, integerColumn, nameColumn, printCells, textColumn } from "./columns.ts";

const none = "<none>";

export const flowSchemaPrinter = printCells(
  [
    nameColumn,
    textColumn("PriorityLevel"),
    textColumn("MatchingPrecedence"),
    textColumn("DistinguisherMethod"),
    ageColumn,
    textColumn("MissingPL"),
  ],
  (schema, nowMs) => [
    nameOf(schema),
    textOf(schema, "spec", "priorityLevelConfiguration", "name"),
    countCell(schema, "spec", "matchingPrecedence"),
    textOr(none, schema, "spec", "distinguisherMethod", "type"),
    ageCell(schema, nowMs),
    conditionStatus(schema, "Dangling") ?? "?",
  ],
);

export const priorityLevelPrinter = printCells(
  [
    nameColumn,
    textColumn("Type"),
    textColumn("NominalConcurrencyShares"),
    textColumn("Queues"),
    textColumn("HandSize"),
    textColumn("QueueLengthLimit"),
    ageColumn,
  ],
  (level, nowMs) => {
    const queuing = (key: string): Json => numberAt(level, "spec", "limited", "limitResponse", "queuing", key) ?? none;
    return [
      nameOf(level),
      textOf(level, "spec", "type"),
      numberAt(level, "spec", "limited", "nominalConcurrencyShares") ?? none,
      queuing("queues"),
      queuing("handSize"),
      queuing("queueLengthLimit"),
      ageCell(level, nowMs),
    ];
  },
);

export const signingRequestPrinter = printCells(
  [
    nameColumn,
    ageColumn,
    textColumn("SignerName"),
    textColumn("Requestor"),
    textColumn("RequestedDuration"),
    textColumn("Condition"),
  ],
  (request, nowMs) => {
    const seconds = numberAt(request, "spec", "expirationSeconds");
    return [
      nameOf(request),
      ageCell(request, nowMs),
      textOr(none, request, "spec", "signerName"),
      textOf(request, "spec", "username"),
      seconds === undefined ? none : humanDuration(seconds * 1000),
      signingState(request),
    ];
  },
);

/** The printer of admission policies. `listed` is the column with the number of rules, and the name of their field. */
export const admissionPolicyPrinter = (listed: "Validations" | "Mutations"): ReturnType<typeof printCells> =>
  printCells([nameColumn, integerColumn(listed), textColumn("ParamKind"), ageColumn], (policy, nowMs) => {
    const kind = `${textOf(policy, "spec", "paramKind", "apiVersion")}/${textOf(policy, "spec", "paramKind", "kind")}`;
    return [
      nameOf(policy),
      objectsAt(policy, "spec", listed.toLowerCase()).length,
      kind === "/" ? "<unset>" : kind,
      ageCell(policy, nowMs),
    ];
  });

export const policyBindingPrinter = printCells(
  [nameColumn, textColumn("PolicyName"), textColumn("ParamRef"), ageColumn],
  (binding, nowMs) => [
    nameOf(binding),
    textOf(binding, "spec", "policyName"),
    textOr("<unset>", binding, "spec", "paramRef", "name"),
    ageCell(binding, nowMs),
  ],
);

function signingState(request: JsonObject): string {
  const has = (type: string): boolean => conditionStatus(request, type) !== undefined;
  const verdict = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  const issued = textOf(request, "status", "certificate") === "" ? "" : ",Issued";
  return `${verdict}${has("Failed") ? ",Failed" : ""}${issued}`;
}

function conditionStatus(object: JsonObject, type: string): string | undefined {
  const found = objectsAt(object, "status", "conditions").find((each) => textOf(each, "type") === type);
  return found && textOf(found, "status");
}
