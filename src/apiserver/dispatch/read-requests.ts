// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../json/json.ts";
import { chooseForm, chooseStreamForm, protobufType } from "../request/accept.ts";
import { type ApiResponse, jsonType } from "../request/api-request.ts";
import { parseListOptions } from "../request/list-options.ts";
import { notFound } from "../status/api-error.ts";
import { listPage, parseVersion, reachRevision } from "../storage/list-cached.ts";
import { Selection } from "../storage/object-selection.ts";
import { toServed } from "../storage/render-object.ts";
import { watchObjects } from "../storage/watch-cached.ts";
import { resourceName } from "../verbs/api-cluster.ts";
import type { ApiContext, ResourceRequest } from "./api-context.ts";
import { createEventForm } from "./event-form.ts";
import { listResponse, parseIncludeObject } from "./respond.ts";
import { answer, targetOf } from "./write-requests.ts";

/** The requested object at the served version. Throws NotFound. */
export async function findObject({ cluster }: ApiContext, asked: ResourceRequest): Promise<JsonObject> {
  const { resource, namespace, name } = targetOf(asked);
  await reachRevision(cluster, parseVersion(asked.request.query.get("resourceVersion") ?? ""));
  const found = cluster.cache.get(resource.storageId, namespace, name);
  if (found === undefined) throw notFound(resourceName(resource), name);
  return toServed(resource, found);
}

export async function handleGet(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  return answer(context, asked, 200, await findObject(context, asked));
}

/** Answers a list, or a watch if the verb is watch. */
export async function handleList(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { cluster } = context;
  const { request, resource, attributes } = asked;
  // Deprecated paths below `watch/` have the verb and the name in the path.
  const isWatch = attributes.verb === "watch";
  const options = { ...parseListOptions(request.query), isWatch };
  const form = (isWatch ? chooseStreamForm : chooseForm)(request.header("accept"), resource.isCustom);
  const includeObject = parseIncludeObject(request.query);
  const namespace = resource.facts.namespaced && attributes.namespace !== "" ? attributes.namespace : undefined;
  const selection = new Selection(
    resource,
    { namespace, ...(isWatch && attributes.name !== "" ? { name: attributes.name } : {}) },
    options,
  );
  const nowMs = (): number => cluster.clock.wallMs();
  if (!isWatch) {
    const page = await listPage(cluster, resource, selection, options);
    return listResponse({
      resource,
      page,
      form,
      includeObject,
      nowMs: nowMs(),
      parse: (cached) => cluster.cache.parsed(cached),
    });
  }
  parseVersion(options.resourceVersion);
  const eventForm = createEventForm({ resource, form, includeObject, nowMs });
  const stream = watchObjects(cluster, { resource, selection, options, form: eventForm, signal: request.signal });
  const contentType = form.mediaType === protobufType ? `${protobufType};stream=watch` : jsonType;
  return { status: 200, contentType, body: stream };
}
