// SPDX-License-Identifier: Apache-2.0
import { listOf, textOf } from "../fields.ts";
import { type Kind, setColumn } from "../kind.ts";
import { sourceUrlAt } from "../strip-url-credentials.ts";
import { createSourceKind } from "./create-source-kind.ts";

/**
 * Flux's HelmRepositories. One of type `oci` is only an address: current Flux writes no status for it, so it is healthy
 * without one.
 */
export const helmRepositoryKind: Kind = createSourceKind({
  resource: "helmrepositories",
  kind: "HelmRepository",
  versions: ["v1", "v1beta2"],
  columns: [
    { name: "url", type: "string", isMain: true },
    { name: "type", type: "string", isMain: true },
    { name: "provider", type: "string" },
  ],
  setOrigin(columns, object) {
    setColumn(columns, "url", sourceUrlAt(object, "spec", "url"));
    setColumn(columns, "type", textOf(object, "spec", "type"));
    setColumn(columns, "provider", textOf(object, "spec", "provider"));
  },
  isStatic: (object) => textOf(object, "spec", "type") === "oci" && listOf(object, "status", "conditions").length === 0,
});
