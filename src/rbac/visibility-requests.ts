// SPDX-License-Identifier: Apache-2.0
import { assert } from "../base/assert.ts";
import type { ResourceAttributes } from "./attributes.ts";

/** A verb of requests that can return an object. */
export type ReadVerb = "list" | "get" | "watch";

/**
 * The verbs that make objects visible: `default` for displays, `strict` for lists only, `live` for streams, which
 * require `watch`.
 */
export const visibilityVerbs = {
  default: ["list", "get"],
  strict: ["list"],
  live: ["watch"],
} as const satisfies Readonly<Record<string, readonly ReadVerb[]>>;

/** A resource under every API group that serves the same objects, and the verbs that count. */
export interface VisibilityScope {
  readonly apiGroups: readonly string[];
  readonly resource: string;
  readonly verbs: readonly ReadVerb[];
}

/** An object's place in one cluster. The namespace of a cluster-scoped object is empty. */
interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** The (namespace, name) pairs that requests of `verb` for the object can have, the widest first. */
function placesOf(resource: string, verb: ReadVerb, { namespace, name }: Place): readonly Place[] {
  const byPath = resource === "namespaces" && namespace === "" ? [{ namespace: name, name }] : [{ namespace, name }];
  if (verb === "get") return byPath;
  const wide = { namespace: "", name: "" };
  const named = { namespace: "", name };
  if (namespace !== "") return [wide, { namespace, name: "" }, named, { namespace, name }];
  return verb === "watch" && resource === "namespaces" ? [wide, named, ...byPath] : [wide, named];
}

/**
 * Every request that could return the object, the widest first and the narrowest last. This is the definition of
 * visibility; `VisibilityCompiler` must agree with it. A Namespace object can be read with its own name as namespace,
 * and watched so by the legacy path prefix.
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
