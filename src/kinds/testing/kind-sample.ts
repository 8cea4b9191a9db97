// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";

/** Stands in samples wherever a value must not leave a cluster (L18); no row may hold it. */
export const secretMarker = "s3cr3t";

/** A kind, and a sample object with all fields that its row holds and some that it must not hold. */
export interface KindSample {
  readonly kind: Kind;
  readonly object: SampleObject;
}

/** An object as an API server sends it. */
export interface SampleObject {
  readonly metadata: object;
  /** Most have `spec` and `status`; some kinds keep their content elsewhere. */
  readonly [part: string]: unknown;
}

/**
 * The least metadata that a test of one kind needs, in the namespace `shop`, with an annotation that must not be
 * collected.
 */
export function sampleMetadata(name: string): Readonly<Record<string, unknown>> {
  return {
    name,
    namespace: "shop",
    uid: "u1",
    resourceVersion: "7",
    generation: 1,
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": secretMarker },
  };
}
