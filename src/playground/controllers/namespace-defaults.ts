// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { type DraftObject, isEqualJson } from "../../apiserver/json/json.ts";
import { isTerminating } from "./object-parts.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";

/** A placeholder for the cluster's CA. Playground Pods do not run, so nothing reads it. */
const rootCa = "-----BEGIN CERTIFICATE-----\nUGxheWdyb3VuZCBQb2RzIHJ1biBub3doZXJl\n-----END CERTIFICATE-----\n";

const rootCaName = "kube-root-ca.crt";

const rootCaNote =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Ensures that every namespace has the service account `default` and the ConfigMap with the cluster's CA. */
export function createNamespaceDefaults({ client }: ControllerContext): PlaygroundController {
  const ofNamespace = ({ namespace }: { readonly namespace: string }): readonly string[] => [`/${namespace}`];
  const ensure = async (resource: string, namespace: string, object: DraftObject, name: string): Promise<void> => {
    if (client.objects.get(resource, namespace, name) !== undefined) return;
    try {
      await client.create(resource, { metadata: { name, namespace }, ...object });
    } catch (reason) {
      if (!isRefusal(reason, "AlreadyExists") && !isRefusal(reason, "NotFound")) throw reason;
    }
  };
  /** Reverts edits of the CA. Labels and annotations may be edited. */
  const restoreRootCa = async (namespace: string): Promise<void> => {
    const found = client.objects.get("configmaps", namespace, rootCaName);
    if (found === undefined || isEqualJson(found["data"], { "ca.crt": rootCa })) return;
    await client.update({ resource: "configmaps", namespace, name: rootCaName }, (draft) => {
      draft["data"] = { "ca.crt": rootCa };
    });
  };
  return {
    name: "namespace-defaults",
    resource: "namespaces",
    watches: {
      serviceaccounts: (change) => (change.type === "DELETED" ? ofNamespace(change) : []),
      configmaps: (change) => (change.name === rootCaName && change.type !== "ADDED" ? ofNamespace(change) : []),
    },
    async reconcile({ name }) {
      const namespace = client.objects.get("namespaces", "", name);
      if (namespace === undefined || isTerminating(namespace)) return {};
      await ensure("serviceaccounts", name, {}, "default");
      const annotations = { "kubernetes.io/description": rootCaNote };
      const metadata = { name: rootCaName, namespace: name, annotations };
      await ensure("configmaps", name, { metadata, data: { "ca.crt": rootCa } }, rootCaName);
      await restoreRootCa(name);
      return {};
    },
  };
}
