// SPDX-License-Identifier: Apache-2.0
import { assert } from "../base/assert.ts";
import type { ResourceAttributes } from "./attributes.ts";

/** A verb by which a request can show an object. */
export type ReadVerb = "list" | "get" | "watch";

/** Which verbs count: `default` for what is shown, `strict` for lists alone, `live` for streams, which need `watch`. */
export const visibilityVerbs = {
  default: ["list", "get"],
  strict: ["list"],
  live: ["watch"],
} as const satisfies Readonly<Record<string, readonly ReadVerb[]>>;

/** The objects asked about: one resource, under every API group that serves the same objects. */
export interface VisibilityScope {
  readonly apiGroups: readonly string[];
  readonly resource: string;
  readonly verbs: readonly ReadVerb[];
}

/** A place in one cluster; the namespace of a cluster-scoped object is empty. */
interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** The (namespace, name) pairs that requests of `verb` for the object can carry, the widest first. */
function placesOf(resource: string, verb: ReadVerb, { namespace, name }: Place): readonly Place[] {
  const byPath = resource === "namespaces" && namespace === "" ? [{ namespace: name, name }] : [{ namespace, name }];
  if (verb === "get") return byPath;
  const wide = { namespace: "", name: "" };
  const named = { namespace: "", name };
  if (namespace !== "") return [wide, { namespace, name: "" }, named, { namespace, name }];
  return verb === "watch" && resource === "namespaces" ? [wide, named, ...byPath] : [wide, named];
}

/**
 * Every request that could return the object, the widest first and the narrowest last. This is the definition of visibility; the
 * compiled form must agree with it. A Namespace object can be got, and by the old path prefix watched, with its own name as namespace.
 */
export function requestsFor(
  scope: VisibilityScope,
  object: Place,
): readonly [ResourceAttributes, ...ResourceAttributes[]] {
  const requests = scope.verbs.flatMap((verb) =>
    placesOf(scope.resource, verb, object).flatMap(({ namespace, name }) =>
      scope.apiGroups.map(
        (apiGroup): ResourceAttributes => ({
          kind: "resource",
          verb,
          apiGroup,
          resource: scope.resource,
          subresource: "",
          namespace,
          name,
        }),
      ),
    ),
  );
  const [first, ...others] = requests;
  assert(first !== undefined, "a visibility scope has at least one API group and one verb");
  return [first, ...others];
}
