// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../json/json.ts";
import { numberAt, objectAt, textAt, textOf } from "../json/json-fields.ts";
import type { Printer } from "../resources/printer.ts";
import { ageCell, countCell, joinFirst, nameOf } from "./cells.ts";
import { ageColumn, nameColumn, printCells, textColumn } from "./columns.ts";
import { type AutoscalerMetrics, metricKeys, metricsOfVersion1, metricsOfVersion2 } from "./hpa-metrics-cell.ts";

/** Maximum number of metrics in a cell. */
const maxShownCount = 2;

export const autoscalerV1Printer = autoscalerPrinter(metricsOfVersion1);
export const autoscalerV2Printer = autoscalerPrinter(metricsOfVersion2);

function autoscalerPrinter(metricsOf: (autoscaler: JsonObject) => AutoscalerMetrics): Printer {
  const columns = [
    nameColumn,
    textColumn("Reference"),
    textColumn("Targets"),
    textColumn("MinPods"),
    textColumn("MaxPods"),
    textColumn("Replicas"),
    ageColumn,
  ];
  return printCells(columns, (autoscaler, nowMs) => [
    nameOf(autoscaler),
    `${textOf(autoscaler, "spec", "scaleTargetRef", "kind")}/${textOf(autoscaler, "spec", "scaleTargetRef", "name")}`,
    targetsCell(metricsOf(autoscaler)),
    String(numberAt(autoscaler, "spec", "minReplicas") ?? "<unset>"),
    countCell(autoscaler, "spec", "maxReplicas"),
    countCell(autoscaler, "status", "currentReplicas"),
    ageCell(autoscaler, nowMs),
  ]);
}

function targetsCell({ specs, statuses }: AutoscalerMetrics): string {
  if (specs.length === 0) return "<none>";
  return joinFirst(
    specs.map((spec, index) => metricCell(spec, statuses[index])),
    maxShownCount,
    ", ",
  );
}

/** The measured and the target value: `cpu: 40%/80%`, `12/20 (avg)`. */
function metricCell(spec: JsonObject, status: JsonObject | undefined): string {
  const type = textOf(spec, "type");
  const key = metricKeys.get(type);
  if (key === undefined) return "<unknown type>";
  const target = objectAt(spec, key, "target") ?? {};
  const measured = status === undefined ? undefined : objectAt(status, key);
  const current = measured === undefined ? undefined : (objectAt(measured, "current") ?? {});
  if (type === "Pods")
    return `${quantityOr("<nil>", current, "averageValue")}/${textAt(target, "averageValue") ?? "<nil>"}`;
  const average = textAt(target, "averageValue");
  if (type === "External" || type === "Object") {
    if (average !== undefined) return `${quantityOr("<unknown>", current, "averageValue")}/${average} (avg)`;
    return `${quantityOr("<nil>", current, "value")}/${textAt(target, "value") ?? "<nil>"}`;
  }
  const name = textOf(spec, key, "name");
  if (average !== undefined) return `${name}: ${quantityOr("<nil>", current, "averageValue")}/${average}`;
  return `${name}: ${percentOr("<unknown>", current)}/${percentOr("<auto>", target)}`;
}

/** `<unknown>` without a measurement; `absent` if the measurement lacks this value. */
function quantityOr(absent: string, current: JsonObject | undefined, key: string): string {
  return current === undefined ? "<unknown>" : (textAt(current, key) ?? absent);
}

function percentOr(absent: string, value: JsonObject | undefined): string {
  const percent = value === undefined ? undefined : numberAt(value, "averageUtilization");
  return percent === undefined ? absent : `${percent}%`;
}
