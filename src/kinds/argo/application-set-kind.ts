// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../../model/status.ts";
import { conditionsOf, findCondition, statusFrom } from "../conditions.ts";
import { listOf, textOf } from "../fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "../kind.ts";
import { sourceMessage, sourceUrlAt } from "../strip-url-credentials.ts";

/**
 * Argo CD's ApplicationSets: how many Applications they generate. Generators may hold secrets in their parameters and
 * are not collected (L18).
 */
export const applicationSetKind: Kind = {
  resource: { group: "argoproj.io", resource: "applicationsets" },
  kind: "ApplicationSet",
  versions: ["v1alpha1"],
  isNamespaced: true,
  columns: [
    { name: "project", type: "string", isMain: true },
    { name: "repository", type: "string", isMain: true },
    { name: "generatorCount", type: "integer" },
    { name: "applicationCount", type: "integer", isMain: true },
  ],
  project: projectApplicationSet,
};

function projectApplicationSet(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "project", textOf(object, "spec", "template", "spec", "project"));
  setColumn(columns, "repository", sourceUrlAt(object, "spec", "template", "spec", "source", "repoURL"));
  columns.set("generatorCount", listOf(object, "spec", "generators").length);
  const applications = listOf(object, "status", "resources");
  if (applications.length > 0) columns.set("applicationCount", applications.length);
  return { columns, status: statusOf(object) };
}

function statusOf(object: unknown): StatusReport {
  const conditions = conditionsOf(object).map((each) => ({ ...each, message: sourceMessage(each.message) }));
  const failed = findCondition(conditions, "ErrorOccurred");
  if (failed?.status === "True") return statusFrom("unhealthy", failed);
  const current = findCondition(conditions, "ResourcesUpToDate");
  if (current === undefined) return createStatusReport("progressing", "NotReconciledYet", "no condition reported yet");
  return statusFrom(current.status === "True" ? "healthy" : "progressing", current);
}
