// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { quantityNanos } from "../pod-spec/quantity-value.ts";

const counted = ["cpu", "memory"] as const;

/**
 * The QoS class of a Pod. BestEffort: no requests and no limits. Guaranteed: all cpu and memory limits are set, and the
 * requests equal them. Burstable: otherwise.
 */
export function qosClass(spec: JsonObject): "BestEffort" | "Burstable" | "Guaranteed" {
  const podResources = objectAt(spec, "resources");
  const holders =
    podResources === undefined
      ? [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")].map(
          (container) => objectAt(container, "resources") ?? {},
        )
      : [podResources];
  const requests = sumOf(holders, "requests");
  const limits = sumOf(holders, "limits");
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isBounded =
    podResources !== undefined && getKey(podResources, "limits") === undefined
      ? true
      : holders.every((holder) => counted.every((name) => amountOf(holder, "limits", name) > 0n));
  const isEqual = requests.size === limits.size && [...requests].every(([name, amount]) => limits.get(name) === amount);
  return isBounded && isEqual ? "Guaranteed" : "Burstable";
}

function sumOf(holders: readonly JsonObject[], list: string): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const holder of holders)
    for (const name of counted) {
      const amount = amountOf(holder, list, name);
      if (amount > 0n) sums.set(name, (sums.get(name) ?? 0n) + amount);
    }
  return sums;
}

function amountOf(holder: JsonObject, list: string, name: string): bigint {
  return quantityNanos(textOf(holder, list, name)) ?? 0n;
}
