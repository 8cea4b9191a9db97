// SPDX-License-Identifier: Apache-2.0
import { defaultKinds } from "../../kinds/all-kinds.ts";
import { rbacKinds } from "../../kinds/core-kinds.ts";
import type { Kind } from "../../kinds/kind.ts";
import { secretKind } from "../../kinds/secret.ts";
import { resourceIdText } from "../../model/gvr.ts";

/** What is wanted and what is left out, as texts of resource ids. */
export interface KindChoice {
  readonly kinds: readonly string[];
  readonly excludeKinds: readonly string[];
}

/** The kinds to collect, and names that nobody knows a kind for. RBAC's four are always among them: without grants nothing may be shown (L2). */
export function chooseKinds({ kinds, excludeKinds }: KindChoice): {
  readonly chosen: readonly Kind[];
  readonly unknown: readonly string[];
} {
  const known = new Map([...defaultKinds, secretKind].map((kind) => [resourceIdText(kind.resource), kind]));
  const unknown = [...kinds, ...excludeKinds].filter((text) => !known.has(text));
  const wanted = kinds.length === 0 ? defaultKinds.map((kind) => resourceIdText(kind.resource)) : kinds;
  const needed = new Set(rbacKinds.map((kind) => resourceIdText(kind.resource)));
  const excluded = new Set(excludeKinds.filter((text) => !needed.has(text)));
  const names = new Set([...needed, ...wanted.filter((text) => !excluded.has(text))]);
  return { chosen: [...names].flatMap((text) => known.get(text) ?? []), unknown };
}
