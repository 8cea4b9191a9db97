// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../fields.ts";
import { type Columns, type Kind, type KindColumn, type Projected, setColumn } from "../kind.ts";
import { fluxStatus } from "./flux-status.ts";
import { fluxColumns, setFluxColumns } from "./references.ts";

/** What differs between Flux's sources. */
export interface SourceKindParts {
  readonly resource: string;
  readonly kind: string;
  /** Columns of the origin. Every source kind also has `revision` and `fluxColumns`. */
  readonly columns: readonly KindColumn[];
  /** Sets the columns of the origin. Addresses must go through `sourceUrl`. */
  setOrigin(columns: Columns, object: unknown): void;
  /** True if no controller writes a status for the object, so a missing status is not `progressing`. */
  isStatic?(object: unknown): boolean;
}

/**
 * A kind of the group source.toolkit.fluxcd.io: an origin, and the revision of it that was fetched. Names of Secrets
 * are not collected either (L18).
 */
export function createSourceKind(parts: SourceKindParts): Kind {
  return {
    resource: { group: "source.toolkit.fluxcd.io", resource: parts.resource },
    kind: parts.kind,
    versions: ["v1", "v1beta2"],
    isNamespaced: true,
    isConfiguration: true,
    columns: [...parts.columns, { name: "revision", type: "string", isMain: true }, ...fluxColumns],
    project: (object) => projectSource(parts, object),
  };
}

function projectSource(parts: SourceKindParts, object: unknown): Projected {
  const columns: Columns = new Map();
  parts.setOrigin(columns, object);
  setColumn(columns, "revision", textOf(object, "status", "artifact", "revision"));
  setFluxColumns(columns, object);
  const { status, reconcile } = fluxStatus(object);
  return { columns, status, reconcile: parts.isStatic?.(object) === true ? undefined : reconcile };
}
