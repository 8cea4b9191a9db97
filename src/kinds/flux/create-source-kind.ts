// SPDX-License-Identifier: Apache-2.0
import { fieldOf, textOf } from "../fields.ts";
import { type Columns, type Kind, type KindColumn, type Projected, setColumn } from "../kind.ts";
import { fluxStatus } from "./flux-status.ts";
import { scheduleColumns, setSchedule } from "./references.ts";

/** What differs between Flux's sources. */
export interface SourceKindParts {
  readonly resource: string;
  readonly kind: string;
  readonly versions: readonly string[];
  /** Columns of the origin. Every source kind also has `revision`, `interval` and `suspend`. */
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
    versions: parts.versions,
    isNamespaced: true,
    isConfiguration: true,
    columns: [...parts.columns, { name: "revision", type: "string", isMain: true }, ...scheduleColumns],
    project: (object) => projectSource(parts, object),
  };
}

function projectSource(parts: SourceKindParts, object: unknown): Projected {
  const columns: Columns = new Map();
  parts.setOrigin(columns, object);
  setColumn(columns, "revision", textOf(object, "status", "artifact", "revision"));
  setSchedule(columns, object);
  const { status, reconcile } = fluxStatus(object);
  return { columns, status, reconcile: parts.isStatic?.(object) === true ? undefined : reconcile };
}

/** `branch main`: the first of these fields that the reference sets, with its value. */
export function refText(object: unknown, fields: readonly string[]): string | undefined {
  const ref = fieldOf(object, "spec", "ref");
  for (const field of fields) {
    const value = textOf(ref, field);
    if (value !== undefined && value !== "") return `${field} ${value}`;
  }
  return undefined;
}
