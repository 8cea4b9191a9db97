// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { gatewayClassKind as kind } from "./gateway-class-kind.ts";
import { gatewayApiSamples } from "./testing/samples.ts";

test("a GatewayClass's row has its controller, and the namespace of none", () => {
  const row = rowOf(kind, gatewayApiSamples.gatewayClass);
  expect(columnsOf(kind, row)).toEqual({ controller: "example.com/gateway", accepted: "True", description: "ours" });
  expect([row.namespace, row.status]).toEqual(["", "healthy"]);
});

const accepted = (status: string, observedGeneration: number) => ({
  conditions: [{ type: "Accepted", status, reason: "Accepted", observedGeneration }],
});

test.each([
  [undefined, "progressing"],
  [accepted("Unknown", 1), "progressing"],
  [accepted("True", 0), "progressing"],
  [accepted("True", 1), "healthy"],
  [accepted("False", 1), "unhealthy"],
])("[KI10] its status with %j is %s", (status, expected) => {
  const { metadata } = gatewayApiSamples.gatewayClass;
  expect(rowOf(kind, { metadata, status }).status).toBe(expected);
});
