// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { Policy } from "../../rbac/policy.ts";
import { parseClusterRole, parseClusterRoleBinding, parseRole, parseRoleBinding } from "../../rbac/rbac-parse.ts";
import type { RbacObject } from "../../rbac/rbac-types.ts";
import type { JsonObject } from "../json/json.ts";
import type { ObjectChange, ObjectFeed } from "../resources/object-reader.ts";

const parsers = {
  "rbac.authorization.k8s.io/roles": { kind: "Role", parse: parseRole },
  "rbac.authorization.k8s.io/clusterroles": { kind: "ClusterRole", parse: parseClusterRole },
  "rbac.authorization.k8s.io/rolebindings": { kind: "RoleBinding", parse: parseRoleBinding },
  "rbac.authorization.k8s.io/clusterrolebindings": { kind: "ClusterRoleBinding", parse: parseClusterRoleBinding },
} as const satisfies Readonly<
  Record<string, { readonly kind: RbacObject["kind"]; readonly parse: (value: unknown) => RbacObject }>
>;

/** The RBAC policy of a logical cluster. Follows its objects until `stop` is called. */
export function followPolicy(feed: ObjectFeed, log: Logger): { readonly policy: Policy; readonly stop: () => void } {
  const policy = new Policy();
  const put = (resource: keyof typeof parsers, object: JsonObject): void => {
    const { kind, parse } = parsers[resource];
    try {
      policy.upsert(parse({ ...object, kind, apiVersion: "rbac.authorization.k8s.io/v1" }));
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      // An invalid object grants nothing: the policy fails closed.
      log.error("an RBAC object cannot be read", { resource }, reason);
    }
  };
  for (const resource of Object.keys(parsers) as (keyof typeof parsers)[])
    for (const object of feed.list(resource)) put(resource, object);
  const stop = feed.subscribe(({ type, resource, namespace, name, object }: ObjectChange) => {
    if (!isRbacResource(resource)) return;
    if (type === "DELETED") policy.delete({ kind: parsers[resource].kind, namespace, name });
    else put(resource, object);
  });
  return { policy, stop };
}

function isRbacResource(resource: string): resource is keyof typeof parsers {
  return Object.hasOwn(parsers, resource);
}
