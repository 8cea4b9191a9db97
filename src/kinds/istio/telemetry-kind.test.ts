// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { telemetryKind as kind } from "./telemetry-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("a Telemetry's row has the providers of each signal, and where one is switched off", () => {
  expect(columnsOf(kind, rowOf(kind, istioSamples.telemetry))).toEqual({
    scope: "workload",
    selector: ["app=web"],
    signals: [
      { signal: "tracing", providers: ["zipkin"] },
      { signal: "tracing", providers: [], disabled: true },
      { signal: "metrics", providers: ["prometheus"] },
      { signal: "accessLogging", providers: ["envoy"], disabled: false },
    ],
  });
});
