// SPDX-License-Identifier: Apache-2.0
import { booleanOf, listOf, textOf } from "../fields.ts";
import { type ClusterFacts, type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { istioStatus } from "./istio-status.ts";
import { selectionColumns, setSelection } from "./workload-selection.ts";

/**
 * Telemetries: which providers receive traces, metrics and access logs of the selected workloads. Tags, filters and
 * overrides are not collected.
 */
export const telemetryKind: Kind = {
  resource: { group: "telemetry.istio.io", resource: "telemetries" },
  kind: "Telemetry",
  versions: ["v1", "v1alpha1"],
  isNamespaced: true,
  isConfiguration: true,
  usesFacts: true,
  columns: [...selectionColumns, { name: "signals", type: "stringList", isJson: true, isMain: true }],
  project: projectTelemetry,
};

/** Fields that a Telemetry may configure, each with the field that disables it. */
const signals = [
  ["tracing", "disableSpanReporting"],
  ["metrics", "disabled"],
  ["accessLogging", "disabled"],
] as const;

function projectTelemetry(object: unknown, facts: ClusterFacts): Projected {
  const columns: Columns = new Map();
  const configured = signals.flatMap(([signal, off]) =>
    listOf(object, "spec", signal).map((each) => ({
      signal,
      providers: listOf(each, "providers").flatMap((provider) => textOf(provider, "name") ?? []),
      disabled: booleanOf(each, off),
    })),
  );
  setSelection(columns, object, facts);
  setColumn(columns, "signals", jsonTexts(configured));
  return { columns, ...istioStatus(object) };
}
