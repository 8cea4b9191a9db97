// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { gatewayKind as kind } from "./gateway-kind.ts";
import { gatewayApiSamples } from "./testing/samples.ts";

test("a Gateway's row has class, addresses and listeners with what is attached to them", () => {
  const row = rowOf(kind, gatewayApiSamples.gateway);
  expect(columnsOf(kind, row)).toEqual({
    class: "example",
    addresses: ["192.0.2.1"],
    programmed: "True",
    listeners: [
      { name: "https", hostname: "*.example", port: 443, protocol: "HTTPS", tlsMode: "Terminate", attachedRoutes: 3 },
      { name: "http", port: 80, protocol: "HTTP", attachedRoutes: 0 },
    ],
  });
  expect(row.status).toBe("healthy");
});

const condition = (type: string, status: string, reason = type, observedGeneration?: number) => ({
  type,
  status,
  reason,
  message: "m",
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
});
const [accepted, programmed] = [condition("Accepted", "True"), condition("Programmed", "True")];
const broken = { name: "https", conditions: [condition("ResolvedRefs", "False", "InvalidCertificateRef")] };

test.each([
  ["nothing yet", undefined, ["progressing", "NotReconciledYet"]],
  [
    "the API's own first status",
    { conditions: [condition("Accepted", "Unknown", "Pending"), condition("Programmed", "Unknown", "Pending")] },
    ["progressing", "Pending"],
  ],
  [
    "an older generation",
    { conditions: [{ ...accepted, observedGeneration: 2 }, condition("Programmed", "True", "Programmed", 1)] },
    ["progressing", "GenerationBehind"],
  ],
  ["accepted, not programmed yet", { conditions: [accepted] }, ["progressing", "Accepted"]],
  ["both", { conditions: [accepted, programmed] }, ["healthy", "Programmed"]],
  [
    "a refusal",
    { conditions: [condition("Accepted", "False", "UnsupportedAddress"), programmed] },
    ["unhealthy", "UnsupportedAddress"],
  ],
  [
    "no address yet",
    { conditions: [accepted, condition("Programmed", "False", "AddressNotAssigned")] },
    ["progressing", "AddressNotAssigned"],
  ],
  ["not programmed", { conditions: [accepted, condition("Programmed", "False", "Invalid")] }, ["unhealthy", "Invalid"]],
  [
    "a listener at fault",
    { conditions: [accepted, programmed], listeners: [{ name: "http" }, broken] },
    ["degraded", "InvalidCertificateRef"],
  ],
  [
    "listeners at fault, as the Gateway says itself",
    { conditions: [condition("Accepted", "False", "ListenersNotValid"), programmed], listeners: [] },
    ["degraded", "Programmed"],
  ],
  ["Ready of older controllers", { conditions: [condition("Ready", "True")] }, ["healthy", "Ready"]],
])("[KI9] with %s its status follows", (_what, status, expected) => {
  const row = rowOf(kind, { metadata: { ...sampleMetadata("g"), generation: 2 }, spec: {}, status });
  expect([row.status, row.reason]).toEqual(expected);
});
