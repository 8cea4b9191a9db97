// SPDX-License-Identifier: Apache-2.0
import type { ClusterFacts } from "../kind.ts";

/** A cluster of which nothing more is known. */
export const noFacts: ClusterFacts = { meshRootNamespaces: new Set() };
