// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../fields.ts";
import { type Kind, setColumn } from "../kind.ts";
import { createSourceKind } from "./create-source-kind.ts";
import { referenceText } from "./references.ts";

/** Flux's HelmCharts: a chart of a source, created for a HelmRelease. */
export const helmChartKind: Kind = createSourceKind({
  resource: "helmcharts",
  kind: "HelmChart",
  versions: ["v1", "v1beta2"],
  columns: [
    { name: "source", type: "string", isMain: true },
    { name: "chart", type: "string", isMain: true },
    { name: "chartVersion", type: "string", isMain: true },
  ],
  setOrigin(columns, object) {
    setColumn(columns, "source", referenceText(object, "spec", "sourceRef"));
    setColumn(columns, "chart", textOf(object, "spec", "chart"));
    setColumn(columns, "chartVersion", textOf(object, "spec", "version"));
  },
});
