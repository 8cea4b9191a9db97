// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type Status, type StatusReport } from "../../model/status.ts";
import { fieldOf, integerOf, isObject, listOf, textOf } from "../fields.ts";
import type { Projected } from "../kind.ts";
import { sourceMessage } from "../strip-url-credentials.ts";

/** Combines Argo CD's health and sync of an Application into one status. The table is in the test. */
export function applicationStatus(object: unknown): Pick<Projected, "status" | "reconcile"> {
  const hasVerdict = ["health", "sync"].some((each) => isObject(fieldOf(object, "status", each)));
  return {
    status: verdictOf(object),
    reconcile: {
      generation: integerOf(object, "metadata", "generation") ?? 0,
      // Argo CD does not report it.
      observedGeneration: undefined,
      hasConditions: hasVerdict,
    },
  };
}

function verdictOf(object: unknown): StatusReport {
  const health = textOf(object, "status", "health", "status");
  const sync = textOf(object, "status", "sync", "status");
  const phase = textOf(object, "status", "operationState", "phase");
  const report = (status: Status, reason: string, ...messages: readonly (string | undefined)[]): StatusReport =>
    createStatusReport(status, reason, sourceMessage(messages.find((each) => each !== undefined && each !== "") ?? ""));
  const healthMessage = textOf(object, "status", "health", "message");
  const operationMessage = textOf(object, "status", "operationState", "message");
  const isRunning = phase === "Running" || phase === "Terminating";
  if (health === "Degraded") return report("unhealthy", health, healthMessage);
  if (health === "Missing" && !isRunning) return report("unhealthy", health, healthMessage, errorOf(object)?.message);
  if (isRunning) return report("progressing", "Syncing", operationMessage);
  if (health === "Progressing") return report("progressing", health, healthMessage);
  if (sync === "OutOfSync") {
    const hasFailed = phase === "Failed" || phase === "Error";
    return hasFailed ? report("degraded", "SyncFailed", operationMessage) : report("degraded", sync, healthMessage);
  }
  if (health === "Suspended") return report("suspended", health, healthMessage);
  if (health === "Healthy" && sync === "Synced") return report("healthy", "", healthMessage);
  const error = errorOf(object);
  return report("unknown", error?.type ?? "Unknown", error?.message, healthMessage);
}

/** The first condition that is an error. Argo CD's conditions have no status: a listed condition is true. */
function errorOf(object: unknown): { readonly type: string; readonly message: string } | undefined {
  for (const each of listOf(object, "status", "conditions")) {
    const type = textOf(each, "type");
    if (type?.endsWith("Error") === true) return { type, message: textOf(each, "message") ?? "" };
  }
  return undefined;
}
