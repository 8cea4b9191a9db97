// SPDX-License-Identifier: Apache-2.0
import {
  type DraftObject,
  ensureObject,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../../../apiserver/json/json.ts";
import { countOf, textsAt } from "../../../apiserver/json/json-fields.ts";
import type { ObjectReader } from "../../../apiserver/resources/object-reader.ts";
import { nameOf, namespaceOf } from "../object-parts.ts";
import { ownerKinds } from "../owner.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { updateStatus } from "../update-status.ts";

const virtualServices = "networking.istio.io/virtualservices";
const serviceEntries = "networking.istio.io/serviceentries";

/** Istio VirtualServices: Istio's analysis message for destinations that do not exist. */
export function createVirtualServiceAnalysis({ client }: ControllerContext): PlaygroundController {
  const { objects } = client;
  const all = (): readonly string[] =>
    objects.list(virtualServices).map((each) => `${namespaceOf(each)}/${nameOf(each)}`);
  return {
    name: "virtual-service-analysis",
    resource: virtualServices,
    watches: {
      [ownerKinds.service.resource]: ({ type }) => (type === "MODIFIED" ? [] : all()),
      [serviceEntries]: all,
    },
    async reconcile({ namespace, name }) {
      const object = objects.get(virtualServices, namespace, name);
      if (object === undefined) return {};
      const missing = [...new Set(hostsOf(object["spec"]))].filter((host) => !isKnown(objects, host, namespace));
      await updateStatus(client, virtualServices, object, (draft) => {
        const status = ensureObject(draft, "status");
        status["observedGeneration"] = countOf(draft, "metadata", "generation");
        if (missing.length === 0) delete status["validationMessages"];
        else status["validationMessages"] = missing.map(toMessage);
      });
      return {};
    },
  };
}

function toMessage(host: string): DraftObject {
  return {
    type: { name: "ReferencedResourceNotFound", code: "IST0101" },
    level: "ERROR",
    documentationUrl: `https://istio.io/latest/docs/reference/config/analysis/ist0101/?host=${encodeURIComponent(host)}`,
  };
}

/** Hosts of all destinations at any depth of the routes. */
function hostsOf(value: Json | undefined): readonly string[] {
  if (isList(value)) return value.flatMap(hostsOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (key !== "destination" || !isObject(part)) return hostsOf(part);
    return typeof part["host"] === "string" ? [part["host"]] : [];
  });
}

function isKnown(objects: ObjectReader, host: string, namespace: string): boolean {
  const [name = "", inNamespace = namespace] = host.replace(/\.svc(?:\.cluster\.local)?$/, "").split(".");
  if (objects.get(ownerKinds.service.resource, inNamespace, name) !== undefined) return true;
  return objects.list(serviceEntries).some((each: JsonObject) => textsAt(each, "spec", "hosts").includes(host));
}
