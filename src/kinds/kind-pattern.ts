// SPDX-License-Identifier: Apache-2.0
// One entry of `--kinds` or `--exclude-kinds` (KI23).
import { FlotillaError } from "../base/error.ts";
import { matchGlob } from "../base/match-glob.ts";
import { parseResourceId, type ResourceId } from "../model/gvr.ts";
import { quote } from "../model/text.ts";

/** A pattern for resources. In group and resource `*` stands for any text. */
export interface KindPattern {
  /** "" for the core group. */
  readonly group: string;
  readonly resource: string;
}

const globOfNames = /^[-a-z0-9.*]+$/;

/**
 * Parses `pods`, `apps/deployments`, `deployments.apps`, `cert-manager.io/*` or `*`; case is ignored. A name without a
 * group belongs to the core group; `*` alone matches every resource of every group. Throws INVALID_ARGUMENT.
 */
export function parseKindPattern(text: string): KindPattern {
  const lower = text.toLowerCase();
  if (lower === "*") return { group: "*", resource: "*" };
  const { group, resource } = splitName(lower);
  if (!lower.includes("*")) return parseResourceId(group === "" ? lower : `${group}/${resource}`);
  const parts = lower.includes("/") ? [group, resource] : [resource];
  if (parts.every((part) => globOfNames.test(part))) return { group, resource };
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `kind pattern ${quote(text)} is neither RESOURCE, RESOURCE.GROUP nor GROUP/RESOURCE, in which * stands for any text`,
  );
}

/** The first dot ends the resource, as in kubectl: a resource contains no dot, most groups do. */
function splitName(text: string): KindPattern {
  const slash = text.indexOf("/");
  if (slash >= 0) return { group: text.slice(0, slash), resource: text.slice(slash + 1) };
  const dot = text.indexOf(".");
  if (dot < 0) return { group: "", resource: text };
  return { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

/** Whether the pattern names one resource and needs no discovery. */
export function isExact({ group, resource }: KindPattern): boolean {
  return !group.includes("*") && !resource.includes("*");
}

/** Whether the pattern covers one whole group, which an RBAC rule can express: `cert-manager.io/*`. */
export function isWholeGroup({ group, resource }: KindPattern): boolean {
  return resource === "*" && !group.includes("*");
}

export function matchesPattern(pattern: KindPattern, { group, resource }: ResourceId): boolean {
  return matchGlob(pattern.group, group) && matchGlob(pattern.resource, resource);
}
