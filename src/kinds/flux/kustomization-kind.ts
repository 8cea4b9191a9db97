// SPDX-License-Identifier: Apache-2.0
import { booleanOf, textOf } from "../fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "../kind.ts";
import { fluxStatus } from "./flux-status.ts";
import { dependenciesOf, fluxColumns, referenceText, setFluxColumns } from "./references.ts";

/**
 * Flux's Kustomizations: source, path, target, and how far they are applied. Substitutions, patches and decryption are
 * not collected (L18).
 */
export const kustomizationKind: Kind = {
  resource: { group: "kustomize.toolkit.fluxcd.io", resource: "kustomizations" },
  kind: "Kustomization",
  versions: ["v1", "v1beta2"],
  isNamespaced: true,
  columns: [
    { name: "source", type: "string", isMain: true },
    { name: "path", type: "string", isMain: true },
    { name: "appliedRevision", type: "string", isMain: true },
    { name: "attemptedRevision", type: "string" },
    ...fluxColumns,
    { name: "prune", type: "boolean" },
    { name: "targetNamespace", type: "string" },
    { name: "dependsOn", type: "stringList" },
  ],
  project: projectKustomization,
};

function projectKustomization(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "source", referenceText(object, "spec", "sourceRef"));
  setColumn(columns, "path", textOf(object, "spec", "path"));
  setColumn(columns, "appliedRevision", textOf(object, "status", "lastAppliedRevision"));
  setColumn(columns, "attemptedRevision", textOf(object, "status", "lastAttemptedRevision"));
  setFluxColumns(columns, object);
  setColumn(columns, "prune", booleanOf(object, "spec", "prune"));
  setColumn(columns, "targetNamespace", textOf(object, "spec", "targetNamespace"));
  setColumn(columns, "dependsOn", dependenciesOf(object));
  return { columns, ...fluxStatus(object) };
}
