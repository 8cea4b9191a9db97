// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../json/json.ts";
import { listAt, textAt, valueAt } from "../json/json-fields.ts";
import { badRequest, invalid } from "../status/api-error.ts";
import { type FieldError, invalidValue, notSupportedValue } from "../status/field-error.ts";
import { parseBoolean, parseInteger } from "./list-options.ts";
import { dryRunErrors } from "./write-options.ts";

export type Propagation = "Foreground" | "Background" | "Orphan";

/** Options of a delete. A field of the body takes precedence over the query. */
export interface DeleteOptions {
  readonly isDryRun: boolean;
  /** Undefined: the kind's default. */
  readonly graceSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  /**
   * Whether `orphanDependents: false` was set, which is deprecated. If the object remains after the delete, the
   * response is then a 202.
   */
  readonly isOrphanDependentsFalse: boolean;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** Parses the options of a delete. Throws kube-apiserver's 400 or 422. */
export function parseDeleteOptions(body: JsonObject | undefined, query: URLSearchParams): DeleteOptions {
  const kind = body === undefined ? "" : (textAt(body, "kind") ?? "");
  if (kind !== "" && kind !== "DeleteOptions") throw badRequest(`decoded object cannot be converted to DeleteOptions`);
  const propagation = (body && textAt(body, "propagationPolicy")) ?? query.get("propagationPolicy") ?? undefined;
  const orphan = (body && valueAt(body, "orphanDependents")) ?? parseBoolean(query, "orphanDependents");
  const stages =
    (body && listAt(body, "dryRun")?.map((stage) => (typeof stage === "string" ? stage : ""))) ??
    query.getAll("dryRun");
  const errors: FieldError[] = [];
  if (typeof orphan === "boolean" && propagation !== undefined)
    errors.push(
      invalidValue("propagationPolicy", propagation, "orphanDependents and deletionPropagation cannot be both set"),
    );
  if (propagation !== undefined && !isPropagation(propagation))
    errors.push(notSupportedValue("propagationPolicy", propagation, ["Foreground", "Background", "Orphan", "nil"]));
  errors.push(...dryRunErrors(stages));
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  const grace = body && valueAt(body, "gracePeriodSeconds");
  return {
    isDryRun: stages.length > 0,
    graceSeconds: typeof grace === "number" ? grace : parseInteger(query, "gracePeriodSeconds"),
    propagation:
      propagation !== undefined && isPropagation(propagation)
        ? propagation
        : orphan === true
          ? "Orphan"
          : orphan === false
            ? "Background"
            : undefined,
    isOrphanDependentsFalse: orphan === false,
    ...preconditionsOf(body, query),
  };
}

/**
 * The preconditions. Without a body they are read from the query, which kube-apiserver does too but does not document.
 */
function preconditionsOf(
  body: JsonObject | undefined,
  query: URLSearchParams,
): Pick<DeleteOptions, "uid" | "resourceVersion"> {
  if (body === undefined)
    return { uid: query.get("uid") || undefined, resourceVersion: query.get("resourceVersion") || undefined };
  return {
    uid: textAt(body, "preconditions", "uid"),
    resourceVersion: textAt(body, "preconditions", "resourceVersion"),
  };
}

function isPropagation(text: string): text is Propagation {
  return text === "Foreground" || text === "Background" || text === "Orphan";
}
