// SPDX-License-Identifier: Apache-2.0
import { integerOf, listOf, textOf } from "../fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "../kind.ts";
import { fluxStatus } from "./flux-status.ts";
import { dependenciesOf, fluxColumns, referenceText, setFluxColumns } from "./references.ts";

/**
 * Flux's HelmReleases: chart, target, and how far the release is. Values and references to values are not collected
 * (L18).
 */
export const helmReleaseKind: Kind = {
  resource: { group: "helm.toolkit.fluxcd.io", resource: "helmreleases" },
  kind: "HelmRelease",
  versions: ["v2", "v2beta2", "v2beta1"],
  isNamespaced: true,
  columns: [
    { name: "source", type: "string" },
    { name: "chart", type: "string", isMain: true },
    { name: "chartVersion", type: "string" },
    { name: "appliedRevision", type: "string", isMain: true },
    { name: "attemptedRevision", type: "string" },
    { name: "releaseName", type: "string" },
    { name: "releaseVersion", type: "integer" },
    { name: "targetNamespace", type: "string", isMain: true },
    { name: "storageNamespace", type: "string" },
    ...fluxColumns,
    { name: "dependsOn", type: "stringList" },
    { name: "failureCount", type: "integer" },
  ],
  project: projectHelmRelease,
};

function projectHelmRelease(object: unknown): Projected {
  const columns: Columns = new Map();
  const source =
    referenceText(object, "spec", "chartRef") ?? referenceText(object, "spec", "chart", "spec", "sourceRef");
  setColumn(columns, "source", source);
  setColumn(columns, "chart", textOf(object, "spec", "chart", "spec", "chart"));
  setColumn(columns, "chartVersion", textOf(object, "spec", "chart", "spec", "version"));
  const released = lastDeployed(object);
  setColumn(
    columns,
    "appliedRevision",
    textOf(released, "chartVersion") ?? textOf(object, "status", "lastAppliedRevision"),
  );
  setColumn(columns, "attemptedRevision", textOf(object, "status", "lastAttemptedRevision"));
  setColumn(columns, "releaseName", textOf(object, "spec", "releaseName"));
  setColumn(
    columns,
    "releaseVersion",
    integerOf(released, "version") ?? integerOf(object, "status", "lastReleaseRevision"),
  );
  setColumn(columns, "targetNamespace", textOf(object, "spec", "targetNamespace"));
  setColumn(columns, "storageNamespace", textOf(object, "spec", "storageNamespace"));
  setFluxColumns(columns, object);
  setColumn(columns, "dependsOn", dependenciesOf(object));
  setColumn(columns, "failureCount", integerOf(object, "status", "failures"));
  return { columns, ...fluxStatus(object) };
}

/**
 * The newest release with status `deployed`. The history of v2 is newest first and includes failed releases. Earlier
 * versions have no history.
 */
function lastDeployed(object: unknown): unknown {
  return listOf(object, "status", "history").find((each) => textOf(each, "status") === "deployed");
}
