// SPDX-License-Identifier: Apache-2.0

import { parseIncludeObject } from "../../apiserver/dispatch/respond.ts";
import type { ListOptions } from "../../apiserver/request/list-options.ts";
import type { Resource } from "../../apiserver/resources/resource.ts";
import type { ResourceRegistry } from "../../apiserver/resources/resource-registry.ts";
import type { Logger } from "../../base/log.ts";
import type { Subject } from "../../model/subject.ts";
import type { ResourceAttributes } from "../../rbac/attributes.ts";
import { rowsOnly } from "./fleet-api-errors.ts";
import type { FleetApiParts } from "./fleet-api-parts.ts";
import { createPartialWriter, createTableWriter, type RowWriter } from "./fleet-table.ts";
import { type FleetVersion, hashAccess } from "./fleet-version.ts";
import type { ListedKeys } from "./listed-keys.ts";
import { chooseRowForm, type RowForm } from "./row-form.ts";
import { type FleetSelection, selectRows } from "./select-rows.ts";

/** One request for rows of a resource. The user may list rows. */
export interface RowsRequest {
  readonly parts: FleetApiParts;
  readonly listed: ListedKeys;
  readonly subject: Subject;
  readonly requestId: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  readonly attributes: ResourceAttributes;
  readonly resource: Resource;
  readonly registry: ResourceRegistry;
}

/** The rows of a collection that a list or watch is about. */
export function selectCollection(
  { resource, attributes }: RowsRequest,
  { labels, fields }: Pick<ListOptions, "labels" | "fields">,
): FleetSelection {
  const namespace = resource.facts.namespaced && attributes.namespace !== "" ? attributes.namespace : undefined;
  return selectRows({ resource: resource.storageId, namespace, labels, fields });
}

/** The form of a list or watch. Throws 406 if whole objects were requested. */
export function chooseListForm(request: RowsRequest): Exclude<RowForm, { readonly kind: "object" }> {
  const form = chooseRowForm(request.header("accept"));
  if (form.kind === "object") throw rowsOnly(request.resource.facts);
  return form;
}

export function createRowWriter(
  { parts: { clock }, resource, registry, query }: RowsRequest,
  { kind, version }: Exclude<RowForm, { readonly kind: "object" }>,
): RowWriter {
  const options = { resource: resource.storageId, registry, version, nowMs: () => clock.wallMs() };
  return kind === "partial"
    ? createPartialWriter(options)
    : createTableWriter({ ...options, includeObject: parseIncludeObject(query) });
}

/**
 * The present version. Taken before rows are read, so that a watch from it has every change that the rows may lack: it
 * may repeat a change that they have, and misses none.
 */
export async function loadVersion({ parts: { reader }, subject }: RowsRequest): Promise<FleetVersion> {
  const [keys] = await reader.listAccessKeys([subject]);
  return { ...reader.changes(subject).cursor, access: hashAccess(keys) };
}
