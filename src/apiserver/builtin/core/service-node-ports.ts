// SPDX-License-Identifier: Apache-2.0
// Node ports of Services. At most one Service uses each.

import type { Random } from "../../../base/random.ts";
import { type DraftObject, ensureObject, type JsonObject } from "../../json/json.ts";
import { countOf, objectsAt, textOf } from "../../json/json-fields.ts";
import { ApiError, invalid } from "../../status/api-error.ts";
import { invalidValue } from "../../status/field-error.ts";
import { allocatesNodePorts, needsHealthCheck, needsNodePorts } from "./service-predicates.ts";

/** Kubernetes' default for --service-node-port-range. */
const firstPort = 30_000;
const lastPort = 32_767;

/** Random draws before a linear search, as for addresses. */
const drawCount = 10;

/**
 * Allocates the node ports that the Service needs and reserves those that it requests. Throws an ApiError for a port
 * out of range or in use.
 */
export function allocateNodePorts(
  service: DraftObject,
  {
    old,
    others,
    random,
  }: { readonly old: JsonObject | undefined; readonly others: readonly JsonObject[]; readonly random: Random },
): void {
  const used = new Set(others.flatMap(portsOf));
  const own = new Set(old === undefined ? [] : portsOf(old));
  const take = (port: number, field: string): void => {
    const error = own.has(port) ? undefined : portError(used, port);
    if (error !== undefined)
      throw invalid({ group: "", kind: "Service" }, textOf(service, "metadata", "name"), [
        invalidValue(field, port, error),
      ]);
    used.add(port);
  };
  if (needsNodePorts(service)) givePorts(service, take, () => drawPort(used, random));
  if (!needsHealthCheck(service)) return;
  const spec = ensureObject(service, "spec");
  const asked = countOf(spec, "healthCheckNodePort");
  if (asked === 0) {
    const port = drawPort(used, random);
    used.add(port);
    spec["healthCheckNodePort"] = port;
  } else take(asked, "spec.healthCheckNodePort");
}

/** Ports of the same number with different protocols share a node port. */
function givePorts(service: DraftObject, take: (port: number, field: string) => void, draw: () => number): void {
  const byPort = new Map<number, number>();
  const ports = objectsAt(service, "spec", "ports");
  for (const [index, port] of ports.entries()) {
    const field = `spec.ports[${index}].nodePort`;
    const asked = countOf(port, "nodePort");
    if (asked === 0 && !allocatesNodePorts(service)) continue;
    const number = countOf(port, "port");
    const shared = byPort.get(number);
    if (shared === undefined) {
      const later = ports.find((other) => countOf(other, "port") === number && countOf(other, "nodePort") !== 0);
      const wanted = later === undefined ? 0 : countOf(later, "nodePort");
      const given = wanted === 0 ? draw() : wanted;
      take(given, field);
      port["nodePort"] = given;
      byPort.set(number, given);
    } else if (asked === 0) port["nodePort"] = shared;
    else if (asked !== shared) take(asked, field);
  }
}

function drawPort(used: ReadonlySet<number>, random: Random): number {
  for (let draw = 0; draw < drawCount; draw += 1) {
    const port = firstPort + random.int(lastPort - firstPort + 1);
    if (!used.has(port)) return port;
  }
  for (let port = firstPort; port <= lastPort; port += 1) if (!used.has(port)) return port;
  throw new ApiError(500, "InternalError", "Internal error occurred: failed to allocate a nodePort: range is full", {
    details: { causes: [{ message: "failed to allocate a nodePort: range is full" }] },
  });
}

function portError(used: ReadonlySet<number>, port: number): string | undefined {
  if (port < firstPort || port > lastPort)
    return `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`;
  return used.has(port) ? "provided port is already allocated" : undefined;
}

function portsOf(service: JsonObject): readonly number[] {
  const ports = objectsAt(service, "spec", "ports").map((port) => countOf(port, "nodePort"));
  return [...ports, countOf(service, "spec", "healthCheckNodePort")].filter((port) => port !== 0);
}
