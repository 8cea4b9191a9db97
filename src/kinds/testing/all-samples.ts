// SPDX-License-Identifier: Apache-2.0
import { argoKindSamples } from "../argo/testing/samples.ts";
import { fluxKindSamples } from "../flux/testing/samples.ts";
import { gatewayApiKindSamples } from "../gateway-api/testing/samples.ts";
import { istioKindSamples } from "../istio/testing/samples.ts";
import { type KindSample, secretMarker } from "./kind-sample.ts";
import { createSamples } from "./sample-objects.ts";

/** A full object of every kind that has a file of its own, and of Secrets. */
export const allSamples: readonly KindSample[] = [
  ...Array.from(createSamples(secretMarker), ([kind, object]) => ({ kind, object })),
  ...istioKindSamples,
  ...fluxKindSamples,
  ...argoKindSamples,
  ...gatewayApiKindSamples,
];

/** The same with the kind's name first, for `test.each`. */
export const sampleCases: readonly (readonly [string, KindSample])[] = allSamples.map((each) => [each.kind.kind, each]);
