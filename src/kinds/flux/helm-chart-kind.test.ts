// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { helmChartKind as kind } from "./helm-chart-kind.ts";
import { fluxSamples } from "./testing/samples.ts";

test("a HelmChart's row has source, chart and version", () => {
  expect(columnsOf(kind, rowOf(kind, fluxSamples.helmChart))).toEqual({
    source: "HelmRepository/shop/prometheus",
    chart: "exporter",
    chartVersion: "4.x",
    revision: "main@sha1:abc",
    interval: "10m",
    suspend: false,
  });
});
