// SPDX-License-Identifier: Apache-2.0
// Which hints an agent follows, regardless of what the hub sends (SE68). Pure.
import { FlotillaError } from "../../base/error.ts";
import { isIncluded } from "../../kube/reflector/scope/namespace-filter.ts";
import { type Gvr, resourceIdText } from "../../model/gvr.ts";
import { quote } from "../../model/text.ts";
import type { HintedObject } from "../../session/hints/hint.ts";
import { checkName, type ReadPolicy, servedVersion } from "../tunnel/read-policy.ts";

/** The address of a hinted object. Every part is safe in a path. */
export interface HintTarget {
  readonly resource: Gvr;
  /** Undefined for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Checks a hint. Throws NOT_FOUND, INVALID_ARGUMENT or UNAVAILABLE with a sentence for the caller. */
export function allowHint({ resource, namespace, name }: HintedObject, policy: ReadPolicy): HintTarget {
  const kind = policy.kinds.find((each) => resourceIdText(each.resource) === resource);
  if (kind === undefined)
    throw new FlotillaError("NOT_FOUND", `the agent does not follow ${quote(resource)}, so it has no row to refresh`);
  const version = servedVersion(resource, policy);
  checkName(name);
  if (kind.isNamespaced) checkName(namespace);
  else if (namespace !== "")
    throw new FlotillaError("INVALID_ARGUMENT", `objects of ${resource} are in no namespace; leave it out`);
  const scope = resource === "namespaces" ? name : namespace;
  if (scope !== "" && !isIncluded(policy.filter, scope))
    throw new FlotillaError(
      "NOT_FOUND",
      `the agent does not collect namespace ${quote(scope)}, so it has no row to refresh`,
    );
  return { resource: { ...kind.resource, version }, namespace: kind.isNamespaced ? namespace : undefined, name };
}
