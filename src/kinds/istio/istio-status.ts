// SPDX-License-Identifier: Apache-2.0
// The status that Istio writes into a configuration object, if that is enabled. The spec alone is not judged.
import { createStatusReport, type StatusReport } from "../../model/status.ts";
import { conditionsOf, findCondition, statusFrom } from "../conditions.ts";
import { fieldOf, integerOf, listOf, textOf } from "../fields.ts";
import type { Projected } from "../kind.ts";

/**
 * Status of an Istio object: analysis errors are `unhealthy`, warnings `degraded`, a change that has not reached all
 * proxies `progressing`. Undefined if Istio reports none of these; the kind is then treated as configuration (KI11).
 */
export function istioStatus(object: unknown): Pick<Projected, "status" | "reconcile"> {
  const observed = observedGenerationOf(object);
  return {
    status: analysisStatus(object) ?? conditionsStatus(object),
    // Without an observed generation Istio does not write a status, which is its default.
    reconcile:
      observed === undefined
        ? undefined
        : {
            generation: integerOf(object, "metadata", "generation") ?? 0,
            observedGeneration: observed,
            hasConditions: true,
          },
  };
}

/** The field is a 64-bit protobuf integer, which JSON may encode as text. */
function observedGenerationOf(object: unknown): number | undefined {
  const found = fieldOf(object, "status", "observedGeneration");
  const value = typeof found === "string" && /^\d+$/.test(found) ? Number(found) : found;
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

function analysisStatus(object: unknown): StatusReport | undefined {
  const messages = listOf(object, "status", "validationMessages");
  const [error, warning] = [/^error$/i, /^warn(?:ing)?$/i].map((level) =>
    messages.find((each) => level.test(textOf(each, "level") ?? "")),
  );
  if (error !== undefined) return analysisReport("unhealthy", error);
  return warning === undefined ? undefined : analysisReport("degraded", warning);
}

/** Older and newer Istio write messages with and without the object `type`. */
function analysisReport(status: "unhealthy" | "degraded", message: unknown): StatusReport {
  const code = textOf(message, "type", "code") ?? textOf(message, "code") ?? "";
  const name = textOf(message, "type", "name") ?? code;
  const text = textOf(message, "message") ?? textOf(message, "documentationUrl") ?? "";
  const sentence = [code, text].filter((each) => each !== "").join(": ");
  return createStatusReport(status, name === "" ? "AnalysisFailed" : name, sentence);
}

/** Conditions that are false if the object is not fully applied: by analysis, or at the proxies of ambient mesh. */
const verdictTypes = ["PassedAnalysis", "WaypointAccepted", "ZtunnelAccepted"];

function conditionsStatus(object: unknown): StatusReport | undefined {
  const conditions = conditionsOf(object);
  const refused = verdictTypes.map((type) => findCondition(conditions, type)).find((each) => each?.status === "False");
  if (refused !== undefined) return statusFrom("degraded", refused);
  const reconciled = findCondition(conditions, "Reconciled");
  if (reconciled === undefined) return undefined;
  return statusFrom(reconciled.status === "True" ? "healthy" : "progressing", reconciled);
}
