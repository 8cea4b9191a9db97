// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { copyJson, type DraftObject, ensureObject, isEqualJson, type JsonObject } from "../../apiserver/json/json.ts";
import { objectAt, objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import { createLabelMatcher } from "../../apiserver/metadata/label-selector-object.ts";
import { isTerminating, labelsOf, nameOf, namespaceOf } from "./object-parts.ts";
import { controllerReference, ownedBy, ownerKinds } from "./owner.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { backendsOf, endpointSubsets, sliceContent } from "./service-endpoints.ts";
import { hashLetters, hashText } from "./stable-hash.ts";
import { updateStatus } from "./update-status.ts";

const slices = "discovery.k8s.io/endpointslices";
const kind = ownerKinds.service;

/** Services: their endpoints, and an address for those of type LoadBalancer. */
export function createServiceController(context: ControllerContext): PlaygroundController {
  const { client } = context;
  return {
    name: "service",
    resource: kind.resource,
    watches: {
      pods: ({ object }) => servicesOf(context, object),
      [slices]: ({ type, namespace, object }) =>
        type === "DELETED" ? [`${namespace}/${textOf(labelsOf(object), "kubernetes.io/service-name")}`] : [],
    },
    async reconcile({ namespace, name }) {
      const service = client.objects.get(kind.resource, namespace, name);
      if (service === undefined) {
        await client.delete({ resource: "endpoints", namespace, name });
        return {};
      }
      if (isTerminating(service)) return {};
      await writeEndpoints(context, service);
      await writeAddress(context, service);
      return {};
    },
  };
}

function servicesOf({ client }: ControllerContext, pod: JsonObject): readonly string[] {
  return client.objects
    .list(kind.resource, namespaceOf(pod))
    .filter((service) => {
      const selector = objectAt(service, "spec", "selector");
      return selector !== undefined && createLabelMatcher({ matchLabels: selector })(labelsOf(pod));
    })
    .map((service) => `${namespaceOf(service)}/${nameOf(service)}`);
}

async function writeEndpoints({ client }: ControllerContext, service: JsonObject): Promise<void> {
  const namespace = namespaceOf(service);
  const name = nameOf(service);
  const backends = backendsOf(service, client.objects.list("pods", namespace));
  if (backends === undefined) return;
  const zoneOf = (node: string): string =>
    textOf(labelsOf(client.objects.get("nodes", "", node) ?? {}), "topology.kubernetes.io/zone");
  const content = sliceContent(service, backends, zoneOf);
  const [slice] = ownedBy(client.objects, slices, service);
  const own = {
    ...labelsOf(service),
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    "kubernetes.io/service-name": name,
  };
  await put(client, slices, slice, {
    metadata: {
      name:
        slice === undefined ? `${name}-${hashLetters(textOf(service, "metadata", "uid")).slice(0, 5)}` : nameOf(slice),
      generateName: `${name}-`,
      namespace,
      labels: copyJson(own),
      ownerReferences: [controllerReference(kind, service)],
    },
    ...content,
  });
  const subsets = endpointSubsets(service, backends);
  await put(client, "endpoints", client.objects.get("endpoints", namespace, name), {
    metadata: {
      name,
      namespace,
      labels: { ...copyJson(labelsOf(service)), "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
    },
    ...(subsets.length === 0 ? {} : { subsets }),
  });
}

/** Creates the object, or replaces its content. Of its metadata only labels change. */
async function put(
  client: ControllerContext["client"],
  resource: string,
  found: JsonObject | undefined,
  wanted: DraftObject,
): Promise<void> {
  const { metadata: _wantedMetadata, ...content } = wanted;
  if (found === undefined) {
    try {
      await client.create(resource, wanted);
    } catch (reason) {
      if (!isRefusal(reason, "AlreadyExists")) throw reason;
    }
    return;
  }
  const { metadata: _metadata, ...before } = found;
  const labels = labelsOf(wanted);
  if (isEqualJson(before, content) && isEqualJson(labelsOf(found), labels)) return;
  await client.update({ resource, namespace: namespaceOf(found), name: nameOf(found) }, (draft) => {
    for (const key of Object.keys(draft))
      if (key !== "metadata" && key !== "apiVersion" && key !== "kind") delete draft[key];
    Object.assign(draft, copyJson(content));
    ensureObject(draft, "metadata")["labels"] = copyJson(labels);
  });
}

/** Sets an address of a block reserved for documentation (RFC 5737), chosen by the Service's uid. */
async function writeAddress({ client, events }: ControllerContext, service: JsonObject): Promise<void> {
  const isBalanced = textOf(service, "spec", "type") === "LoadBalancer";
  const given = objectsAt(service, "status", "loadBalancer", "ingress");
  if (isBalanced === given.length > 0) return;
  const ip =
    textOf(service, "spec", "loadBalancerIP") ||
    `203.0.113.${1 + (hashText(textOf(service, "metadata", "uid")) % 254)}`;
  await updateStatus(client, kind.resource, service, (draft) => {
    ensureObject(draft, "status")["loadBalancer"] = isBalanced ? { ingress: [{ ip, ipMode: "VIP" }] } : {};
  });
  if (!isBalanced) return;
  const subject = { ...kind, object: service };
  const component = "service-controller";
  await events.record(subject, {
    type: "Normal",
    reason: "EnsuredLoadBalancer",
    message: "Ensured load balancer",
    component,
  });
}
