// SPDX-License-Identifier: Apache-2.0
import { booleanOf, fieldOf, isObject, listOf, textOf, textsOf } from "../fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { sourceUrlAt } from "../strip-url-credentials.ts";
import { applicationStatus } from "./argo-status.ts";

/**
 * Argo CD's Applications: source, destination, and how far the deployment is. Helm values, parameters and plugin
 * environments are not collected (L18).
 */
export const applicationKind: Kind = {
  resource: { group: "argoproj.io", resource: "applications" },
  kind: "Application",
  versions: ["v1alpha1"],
  isNamespaced: true,
  columns: [
    { name: "project", type: "string", isMain: true },
    { name: "repository", type: "string", isMain: true },
    { name: "path", type: "string" },
    { name: "chart", type: "string" },
    { name: "targetRevision", type: "string" },
    { name: "sources", type: "stringList", isJson: true },
    { name: "destinationServer", type: "string" },
    { name: "destinationName", type: "string" },
    { name: "destinationNamespace", type: "string", isMain: true },
    { name: "sync", type: "string", isMain: true },
    { name: "health", type: "string", isMain: true },
    { name: "revision", type: "string", isMain: true },
    { name: "revisions", type: "stringList" },
    { name: "operationPhase", type: "string" },
    { name: "automated", type: "boolean" },
    { name: "prune", type: "boolean" },
    { name: "selfHeal", type: "boolean" },
  ],
  project: projectApplication,
};

function projectApplication(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "project", textOf(object, "spec", "project"));
  setSources(columns, object);
  const destination = fieldOf(object, "spec", "destination");
  setColumn(columns, "destinationServer", sourceUrlAt(destination, "server"));
  setColumn(columns, "destinationName", textOf(destination, "name"));
  setColumn(columns, "destinationNamespace", textOf(destination, "namespace"));
  const revisions = textsOf(object, "status", "sync", "revisions");
  setColumn(columns, "sync", textOf(object, "status", "sync", "status"));
  setColumn(columns, "health", textOf(object, "status", "health", "status"));
  setColumn(columns, "revision", textOf(object, "status", "sync", "revision") ?? revisions[0]);
  setColumn(columns, "revisions", revisions);
  setColumn(columns, "operationPhase", textOf(object, "status", "operationState", "phase"));
  setAutomation(columns, fieldOf(object, "spec", "syncPolicy", "automated"));
  return { columns, ...applicationStatus(object) };
}

/**
 * Sets the columns of the first source. An Application with several sources has all of them in `sources`. As in Argo
 * CD, `spec.sources` takes precedence over `spec.source`.
 */
function setSources(columns: Columns, object: unknown): void {
  const several = listOf(object, "spec", "sources");
  const first = several[0] ?? fieldOf(object, "spec", "source");
  setColumn(columns, "repository", sourceUrlAt(first, "repoURL"));
  setColumn(columns, "path", textOf(first, "path"));
  setColumn(columns, "chart", textOf(first, "chart"));
  setColumn(columns, "targetRevision", textOf(first, "targetRevision"));
  setColumn(columns, "sources", jsonTexts(several.map(toSource)));
}

function toSource(source: unknown): Readonly<Record<string, unknown>> {
  return {
    repository: sourceUrlAt(source, "repoURL"),
    path: textOf(source, "path"),
    chart: textOf(source, "chart"),
    targetRevision: textOf(source, "targetRevision"),
    ref: textOf(source, "ref"),
  };
}

/** `automated` being present, even empty, switches automation on, unless it has `enabled: false`. */
function setAutomation(columns: Columns, automated: unknown): void {
  const isAutomated = isObject(automated) && booleanOf(automated, "enabled") !== false;
  columns.set("automated", isAutomated);
  setColumn(columns, "prune", booleanOf(automated, "prune"));
  setColumn(columns, "selfHeal", booleanOf(automated, "selfHeal"));
}
