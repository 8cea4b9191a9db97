// SPDX-License-Identifier: Apache-2.0
import { shortNamesOf } from "./short-names.ts";

/** The names of one kind. */
export interface KindNames {
  /** The text of its resource id. */
  readonly resource: string;
  /** "" if unknown. */
  readonly kind: string;
  /** The API version in which the kind is read; "" if unknown. */
  readonly version: string;
  /** Further names, such as short names and singular from a CustomResourceDefinition. */
  readonly otherNames?: readonly string[];
}

/**
 * The resources that `wanted` may mean, by any name that kubectl accepts, ignoring case (CL3): plural, singular, kind
 * or short name; alone, with group (`deploy.apps`), with version and group (`deployments.v1.apps`), or as GROUP/NAME.
 * An exact resource id and the core group take precedence. Empty if nothing matches.
 */
export function resolveKindName(kinds: readonly KindNames[], wanted: string): readonly string[] {
  const lower = wanted.toLowerCase();
  if (kinds.some(({ resource }) => resource === lower)) return [lower];
  const meant = kinds.filter((kind) => isNamed(kind, lower)).map(({ resource }) => resource);
  const core = meant.filter((resource) => !resource.includes("/"));
  return core.length > 0 ? core : meant;
}

function isNamed(names: KindNames, wanted: string): boolean {
  const slash = names.resource.indexOf("/");
  const group = names.resource.slice(0, Math.max(0, slash));
  const hasName = (name: string): boolean =>
    name !== "" &&
    [names.resource.slice(slash + 1), names.kind, ...shortNamesOf(names.resource), ...(names.otherNames ?? [])].some(
      (each) => each.toLowerCase() === name,
    );
  const at = wanted.search(/[/.]/);
  if (at < 0) return hasName(wanted);
  if (!wanted.includes("/")) return hasName(wanted.slice(0, at)) && isPlace(wanted.slice(at + 1), group, names.version);
  const [wantedGroup, name = "", ...more] = wanted.split("/");
  return group !== "" && wantedGroup === group && more.length === 0 && hasName(name);
}

const anyVersion = /^v\d+(?:(?:alpha|beta)\d+)?$/;

/**
 * Whether the text after the name is the group, or version and group. The core group has no name: `pods.v1`, which
 * kubectl ends with a dot.
 */
function isPlace(text: string, group: string, version: string): boolean {
  if (group !== "" && text === group) return true;
  const end = group === "" ? text.replace(/\.$/, "").length : text.length - group.length - 1;
  if (group !== "" && !text.endsWith(`.${group}`)) return false;
  const wantedVersion = text.slice(0, end);
  return version === "" ? anyVersion.test(wantedVersion) : wantedVersion === version;
}
