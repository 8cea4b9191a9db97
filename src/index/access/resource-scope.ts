// SPDX-License-Identifier: Apache-2.0
import { derivedKinds } from "../../kinds/all-kinds.ts";
import { parseResourceId, resourceIdText } from "../../model/gvr.ts";
import { type VisibilityScope, visibilityVerbs } from "../../rbac/visibility-requests.ts";

/** A resource with all its API groups, as rules name them. */
type ServedResource = Pick<VisibilityScope, "apiGroups" | "resource">;

/** Events are served by two API groups. The core group is last, so that it is the one that an explanation names. */
const events: ServedResource = { apiGroups: ["events.k8s.io", ""], resource: "events" };

/** The source of each derived kind: its rows hold what the source's objects hold, and the cluster serves only those. */
const sources: ReadonlyMap<string, string> = new Map(
  derivedKinds.map(({ resource, from }) => [resourceIdText(resource), resourceIdText(from)]),
);

/**
 * The resource that the rules of a cluster name for rows of `resource` (`apps/deployments`, `pods`). Throws
 * INVALID_ARGUMENT for any other form.
 */
function servedResource(resource: string): ServedResource {
  const { group, resource: name } = parseResourceId(sources.get(resource) ?? resource);
  return group === "" && name === events.resource ? events : { apiGroups: [group], resource: name };
}

/** The requests that show objects of `resource` in lists: `list` and `get`. Throws as `parseResourceId` does. */
export function listScope(resource: string): VisibilityScope {
  return { ...servedResource(resource), verbs: visibilityVerbs.default };
}

/** The requests that show changes of objects of `resource`. Throws as `parseResourceId` does. */
export function watchScope(resource: string): VisibilityScope {
  return { ...servedResource(resource), verbs: visibilityVerbs.live };
}
