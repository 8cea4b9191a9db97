// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { helmReleaseKind } from "./helm-release-kind.ts";
import { kustomizationKind } from "./kustomization-kind.ts";
import { bucketKind, gitRepositoryKind, helmChartKind, helmRepositoryKind, ociRepositoryKind } from "./source-kinds.ts";

/** Flux's kinds: Kustomizations, HelmReleases and their sources. */
export const fluxKinds: readonly Kind[] = [
  kustomizationKind,
  helmReleaseKind,
  gitRepositoryKind,
  helmRepositoryKind,
  helmChartKind,
  bucketKind,
  ociRepositoryKind,
];
