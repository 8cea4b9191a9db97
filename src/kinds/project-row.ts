// SPDX-License-Identifier: Apache-2.0
// Projects an object into its row: the metadata that all kinds share, the order of the status rules, and the bounds.
import { FlotillaError } from "../base/error.ts";
import { type Owner, type RowContent, toResourceVersion } from "../model/rows/row.ts";
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { fixedStatus } from "../model/status-rules.ts";
import { allowedAnnotations } from "./annotations.ts";
import { conditionStatus, conditionsOf } from "./conditions.ts";
import { booleanOf, fieldOf, integerOf, keysOf, listOf, textMapOf, textOf, textsOf, timeOf } from "./fields.ts";
import type { ClusterFacts, DerivedKind, Kind, KindColumn, Projected } from "./kind.ts";
import { boundColumns, boundMaps, TextBound } from "./row-size-limits.ts";
import { startStatus } from "./start-status.ts";

/** What the observer knows of an object beyond its body. */
export interface Observation {
  readonly facts: ClusterFacts;
  /** How long the observer has seen a deletion timestamp on it, by its own clock (CO15). 0 when first seen. */
  readonly terminatingForMs: number;
  /**
   * How long the observer has seen it at its generation, by its own clock; Infinity if it was at that generation when
   * first found. Used for kinds with `needsGenerationAge`; omitted if not measured.
   */
  readonly generationForMs?: number;
}

/**
 * The content of an object's row. Throws INVALID_ARGUMENT for an object without a name (KI3); any other object
 * projects.
 */
export function projectRow(kind: Kind, object: unknown, observation: Observation): RowContent {
  return assemble(object, kind.project(object, observation.facts), observation, kind);
}

/** The content of a derived row, or undefined if the object gives none (KI16). */
export function deriveRow(kind: DerivedKind, object: unknown, observation: Observation): RowContent | undefined {
  const derived = kind.derive(object, observation.facts);
  return derived === undefined ? undefined : assemble(object, derived, observation, kind);
}

/** The parts of a kind, derived or not, that `assemble` needs. */
interface RowShape {
  readonly columns: readonly KindColumn[];
  readonly isConfiguration?: boolean;
}

function assemble(object: unknown, projected: Projected, observation: Observation, shape: RowShape): RowContent {
  const metadata = fieldOf(object, "metadata");
  const name = textOf(metadata, "name");
  if (name === undefined || name === "")
    throw new FlotillaError("INVALID_ARGUMENT", "an object without a name came from the API server");
  const deletedAt = timeOf(metadata, "deletionTimestamp");
  const bound = new TextBound();
  const owner = ownerOf(metadata, bound);
  const report = statusOf(object, projected, observation, shape.isConfiguration === true);
  const maps = boundMaps(textMapOf(metadata, "labels"), allowedOf(metadata));
  return {
    namespace: textOf(metadata, "namespace") ?? "",
    name,
    uid: bound.take("uid", textOf(metadata, "uid")),
    resourceVersion: toResourceVersion(bound.take("resourceVersion", textOf(metadata, "resourceVersion"))),
    generation: integerOf(metadata, "generation") ?? 0,
    createdAt: timeOf(metadata, "creationTimestamp"),
    ...(deletedAt === 0 ? {} : { deletedAt }),
    ...report,
    labels: maps.labels,
    annotations: maps.annotations,
    ...(owner === undefined ? {} : { owner }),
    columns: boundColumns(projected.columns, shape.columns, [...bound.cut, ...maps.cut]),
  };
}

function statusOf(
  object: unknown,
  projected: Projected,
  { terminatingForMs, generationForMs }: Observation,
  isConfiguration: boolean,
): StatusReport {
  const metadata = fieldOf(object, "metadata");
  const isTerminating = textOf(metadata, "deletionTimestamp") !== undefined;
  const fixed = fixedStatus({
    terminating: isTerminating ? { terminatingForMs, finalizers: textsOf(metadata, "finalizers") } : undefined,
    finished: finishedFacts(projected),
    reconcile: projected.reconcile,
  });
  const own =
    fixed ?? startStatus(projected, generationForMs) ?? projected.status ?? conditionStatus(conditionsOf(object));
  return own ?? createStatusReport(isConfiguration ? "healthy" : "unknown");
}

/** The kind's report, if any, holds reason and message of the outcome. */
function finishedFacts({ outcome, status }: Projected): Parameters<typeof fixedStatus>[0]["finished"] {
  if (outcome === undefined) return undefined;
  return status === undefined ? { outcome } : { outcome, reason: status.reason, message: status.message };
}

function allowedOf(metadata: unknown): ReadonlyMap<string, string> {
  const annotations = fieldOf(metadata, "annotations");
  const allowed = new Map<string, string>();
  for (const key of keysOf(annotations)) {
    const text = allowedAnnotations.has(key) ? textOf(annotations, key) : undefined;
    if (text !== undefined) allowed.set(key, text);
  }
  return allowed;
}

function ownerOf(metadata: unknown, bound: TextBound): Owner | undefined {
  const references = listOf(metadata, "ownerReferences");
  const chosen = references.find((each) => booleanOf(each, "controller") === true) ?? references[0];
  const [kind, name] = [textOf(chosen, "kind"), textOf(chosen, "name")];
  if (kind === undefined || name === undefined) return undefined;
  const [group = "", version] = (textOf(chosen, "apiVersion") ?? "").split("/");
  return {
    group: bound.take("owner", version === undefined ? "" : group),
    kind: bound.take("owner", kind),
    name: bound.take("owner", name),
    uid: bound.take("owner", textOf(chosen, "uid")),
  };
}
