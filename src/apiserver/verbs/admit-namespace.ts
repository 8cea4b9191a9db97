// SPDX-License-Identifier: Apache-2.0
import { textAt } from "../json/json.ts";
import { ApiError, forbidden, notFound } from "../status/api-error.ts";
import { type ApiCluster, type ObjectTarget, resourceName } from "./api-cluster.ts";

/** Refuses to create an object in a namespace that does not exist or is terminating, with kube-apiserver's messages. */
export function admitToNamespace({ cache }: ApiCluster, { resource, namespace, name }: ObjectTarget): void {
  if (!resource.facts.namespaced) return;
  const found = cache.get("namespaces", "", namespace);
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if (textAt(found, "status", "phase") !== "Terminating") return;
  const because = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refusal = forbidden(resourceName(resource), name, because);
  throw new ApiError(403, "Forbidden", refusal.message, {
    details: {
      ...refusal.details,
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    },
  });
}
