// SPDX-License-Identifier: Apache-2.0
import type { Kind } from "../kind.ts";
import { bucketKind } from "./bucket-kind.ts";
import { gitRepositoryKind } from "./git-repository-kind.ts";
import { helmChartKind } from "./helm-chart-kind.ts";
import { helmReleaseKind } from "./helm-release-kind.ts";
import { helmRepositoryKind } from "./helm-repository-kind.ts";
import { kustomizationKind } from "./kustomization-kind.ts";
import { ociRepositoryKind } from "./oci-repository-kind.ts";

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
