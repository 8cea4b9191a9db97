// SPDX-License-Identifier: Apache-2.0
import type { KindPosition } from "../rows/fleet-reader.ts";

/** The kinds with rows at the hub that the agent did not name (SE58). */
export function findUnnamedKinds(kinds: readonly KindPosition[], named: readonly string[]): readonly string[] {
  const held = kinds.flatMap(({ resource, rowCount }) => (rowCount > 0 ? [resource] : []));
  return [...new Set(held).difference(new Set(named))];
}
