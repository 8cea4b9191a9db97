// SPDX-License-Identifier: Apache-2.0
// Requests and limits of a whole Pod.

import { type JsonObject } from "../../json/json.ts";
import { objectsAt, textOf } from "../../json/json-fields.ts";
import { formatNanos, quantityNanos } from "../pod-spec/quantity-value.ts";

/** The Pod's own amount of a resource, or else the total of its containers. */
export function podTotal(spec: JsonObject, list: "requests" | "limits", resource: string): string | undefined {
  const own = textOf(spec, "resources", list, resource);
  return own === "" ? containerTotal(spec, list, resource) : own;
}

/**
 * The amount that the containers need at the same time: the larger of (1) regular containers plus sidecars and (2) an
 * init container plus the sidecars before it.
 */
export function containerTotal(spec: JsonObject, list: "requests" | "limits", resource: string): string | undefined {
  const amountsOf = (container: JsonObject): readonly string[] => {
    const amount = textOf(container, "resources", list, resource);
    return amount === "" ? [] : [amount];
  };
  const sidecars: string[] = [];
  let peak: readonly string[] = [];
  for (const container of objectsAt(spec, "initContainers")) {
    const needed = [...sidecars, ...amountsOf(container)];
    if (textOf(container, "restartPolicy") === "Always") sidecars.push(...amountsOf(container));
    if (sumNanos(needed) > sumNanos(peak)) peak = needed;
  }
  const running = [...objectsAt(spec, "containers").flatMap(amountsOf), ...sidecars];
  return addTexts(sumNanos(running) >= sumNanos(peak) ? running : peak);
}

function sumNanos(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => sum + (quantityNanos(amount) ?? 0n), 0n);
}

/** The sum, in binary form if the first amount is binary (`Mi`). */
function addTexts(amounts: readonly string[]): string | undefined {
  const [first] = amounts;
  if (first === undefined || amounts.length === 1) return first;
  return first.endsWith("i") ? formatBinary(sumNanos(amounts)) : formatNanos(sumNanos(amounts));
}

function formatBinary(nanos: bigint): string {
  const suffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
  let amount = nanos / 10n ** 9n;
  let step = 0;
  while (amount !== 0n && amount % 1024n === 0n && step < suffixes.length - 1) {
    amount /= 1024n;
    step += 1;
  }
  return `${amount}${suffixes[step] ?? ""}`;
}
