// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { secretMarker } from "../testing/kind-sample.ts";
import { columnsOf, rowOf, rowText } from "../testing/sample-rows.ts";
import { requestAuthenticationKind as kind } from "./request-authentication-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("[N-19] a RequestAuthentication's row has issuer, audiences and jwksUri of each rule; inline keys are absent [L18]", () => {
  const row = rowOf(kind, istioSamples.requestAuthentication);
  expect(columnsOf(kind, row)).toEqual({
    scope: "workload",
    selector: ["app=web"],
    issuers: ["https://issuer.example", "testing@secure.istio.io"],
    jwtRules: [
      {
        issuer: "https://issuer.example",
        audiences: ["shop", "payments"],
        jwksUri: "https://issuer.example/keys",
        forwardOriginalToken: true,
      },
      { issuer: "testing@secure.istio.io", hasInlineKeys: true },
    ],
  });
  expect(rowText(row)).not.toContain(secretMarker);
});
