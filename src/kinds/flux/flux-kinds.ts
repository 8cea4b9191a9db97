// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { bucketKind } from "./bucket.ts";
import { gitRepositoryKind } from "./git-repository.ts";
import { helmChartKind } from "./helm-chart.ts";
import { helmReleaseKind } from "./helm-release.ts";
import { helmRepositoryKind } from "./helm-repository.ts";
import { kustomizationKind } from "./kustomization.ts";
import { ociRepositoryKind } from "./oci-repository.ts";

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
