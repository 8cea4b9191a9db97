// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../../model/status.ts";
import { conditionsOf, findCondition, statusFrom } from "../conditions.ts";
import { integerOf, listOf, textOf } from "../fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { conditionFacts, partConditions } from "./condition-facts.ts";

/** The Gateway API's Gateways: where traffic enters, and whether the data plane is programmed for it. */
export const gatewayKind: Kind = {
  resource: { group: "gateway.networking.k8s.io", resource: "gateways" },
  kind: "Gateway",
  versions: ["v1", "v1beta1"],
  isNamespaced: true,
  columns: [
    { name: "class", type: "string", isMain: true },
    { name: "addresses", type: "stringList", isMain: true },
    { name: "programmed", type: "string" },
    { name: "listeners", type: "stringList", isJson: true, isMain: true },
  ],
  project: projectGateway,
};

function projectGateway(object: unknown): Projected {
  const columns: Columns = new Map();
  const reported = listOf(object, "status", "listeners");
  setColumn(columns, "class", textOf(object, "spec", "gatewayClassName"));
  setColumn(
    columns,
    "addresses",
    listOf(object, "status", "addresses").flatMap((each) => textOf(each, "value") ?? []),
  );
  setColumn(columns, "programmed", findCondition(conditionsOf(object), "Programmed")?.status);
  const byName = new Map(reported.map((each) => [textOf(each, "name"), each]));
  const listeners = listOf(object, "spec", "listeners").map((each) => toListener(each, byName));
  setColumn(columns, "listeners", jsonTexts(listeners));
  return { columns, status: statusOf(object, reported), reconcile: conditionFacts(object, [object]) };
}

function toListener(listener: unknown, reported: ReadonlyMap<unknown, unknown>): Readonly<Record<string, unknown>> {
  const name = textOf(listener, "name");
  return {
    name,
    hostname: textOf(listener, "hostname"),
    port: integerOf(listener, "port"),
    protocol: textOf(listener, "protocol"),
    tlsMode: textOf(listener, "tls", "mode"),
    attachedRoutes: name === undefined ? undefined : integerOf(reported.get(name), "attachedRoutes"),
  };
}

/** Reasons of a Gateway that is not programmed yet, as opposed to one with a wrong spec. */
const waitingReasons: ReadonlySet<string> = new Set(["Pending", "AddressNotAssigned", "NoResources"]);

/**
 * Checks refusal first, then `Programmed`, then listeners. A faulty listener makes the Gateway `degraded`, since the
 * others still work.
 */
function statusOf(object: unknown, reported: readonly unknown[]): StatusReport | undefined {
  const conditions = conditionsOf(object);
  const accepted = findCondition(conditions, "Accepted");
  // `ListenersNotValid` does not refuse the Gateway; `listenerFault` finds the faulty listeners below.
  if (accepted?.status === "False") {
    const isPart = accepted.reason === "ListenersNotValid";
    if (!isPart) return statusFrom(waitingReasons.has(accepted.reason) ? "progressing" : "unhealthy", accepted);
  }
  const programmed = findCondition(conditions, "Programmed") ?? findCondition(conditions, "Ready");
  if (programmed?.status === "False")
    return statusFrom(waitingReasons.has(programmed.reason) ? "progressing" : "unhealthy", programmed);
  if (programmed?.status !== "True") return waiting(programmed ?? accepted);
  return listenerFault(reported) ?? statusFrom(accepted?.status === "False" ? "degraded" : "healthy", programmed);
}

function waiting(condition: Parameters<typeof statusFrom>[1] | undefined): StatusReport | undefined {
  return condition === undefined ? undefined : statusFrom("progressing", condition);
}

function listenerFault(reported: readonly unknown[]): StatusReport | undefined {
  for (const listener of reported) {
    const conditions = partConditions(listener);
    const fault = ["Accepted", "ResolvedRefs", "Programmed"]
      .map((type) => findCondition(conditions, type))
      .find((each) => each?.status === "False");
    const name = textOf(listener, "name") ?? "";
    if (fault !== undefined) return createStatusReport("degraded", fault.reason, `listener ${name}: ${fault.message}`);
  }
  return undefined;
}
