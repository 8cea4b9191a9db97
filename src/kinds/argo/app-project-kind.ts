// SPDX-License-Identifier: Apache-2.0
import { listOf, textOf, textsOf } from "../fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { sourceUrl, sourceUrlAt } from "../strip-url-credentials.ts";

/**
 * Argo CD's AppProjects: the repositories and destinations their Applications may use. Roles and their tokens are not
 * collected (L18).
 */
export const appProjectKind: Kind = {
  resource: { group: "argoproj.io", resource: "appprojects" },
  kind: "AppProject",
  versions: ["v1alpha1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "repositories", type: "stringList", isMain: true },
    { name: "destinations", type: "stringList", isJson: true, isMain: true },
    { name: "sourceNamespaces", type: "stringList" },
  ],
  project: projectAppProject,
};

function projectAppProject(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "repositories", textsOf(object, "spec", "sourceRepos").map(sourceUrl));
  setColumn(columns, "destinations", jsonTexts(listOf(object, "spec", "destinations").map(toDestination)));
  setColumn(columns, "sourceNamespaces", textsOf(object, "spec", "sourceNamespaces"));
  return { columns };
}

function toDestination(destination: unknown): Readonly<Record<string, unknown>> {
  return {
    server: sourceUrlAt(destination, "server"),
    name: textOf(destination, "name"),
    namespace: textOf(destination, "namespace"),
  };
}
