// SPDX-License-Identifier: Apache-2.0
import { type KindPattern, parseKindPattern } from "./kind-pattern.ts";

/** Kinds that patterns of `--kinds` do not include, with the reason. Each can be selected by its exact name (KI24). */
export const patternExclusions: readonly { readonly pattern: KindPattern; readonly because: string }[] = [
  leftOut("secrets", "only the names of their keys may leave a cluster, and only if selected explicitly"),
  leftOut("endpoints", "EndpointSlices hold the same, and a large Service rewrites the whole object at each change"),
  leftOut("componentstatuses", "an API server cannot watch them"),
  leftOut("coordination.k8s.io/leases", "every node and leader renews one every few seconds"),
  leftOut("metrics.k8s.io/*", "measurements, which change at every read"),
  leftOut("custom.metrics.k8s.io/*", "measurements, which change at every read"),
  leftOut("external.metrics.k8s.io/*", "measurements, which change at every read"),
  leftOut("cilium.io/ciliumendpoints", "one for each Pod, rewritten with each Pod"),
  leftOut("cilium.io/ciliumidentities", "one for each set of labels, created and deleted as Pods come and go"),
  leftOut("reports.kyverno.io/*", "working data of a policy engine, written and deleted with each admission"),
];

function leftOut(text: string, because: string): { readonly pattern: KindPattern; readonly because: string } {
  return { pattern: parseKindPattern(text), because };
}
