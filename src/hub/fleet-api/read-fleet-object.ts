// SPDX-License-Identifier: Apache-2.0
// One object by its name (FA6): as a table of every cluster that has it, or whole, read in its cluster.
import { documentResponse } from "../../apiserver/dispatch/respond.ts";
import { type ApiResponse, jsonType } from "../../apiserver/request/api-request.ts";
import { badRequest, notFound } from "../../apiserver/status/api-error.ts";
import { fleetApiGroup } from "../../model/names.ts";
import { utf8ByteCount } from "../../model/text.ts";
import { authorize } from "../../rpc/auth/authorize-call.ts";
import { maxNameBytes } from "../../session/tunnel/tunnel.ts";
import { type FoundFleetRow, maxQueryRows } from "../rows/fleet-queries.ts";
import { severalClusters } from "./fleet-api-errors.ts";
import { answerRows } from "./list-fleet-rows.ts";
import { queryRows } from "./query-rows.ts";
import { chooseRowForm } from "./row-form.ts";
import { createRowWriter, loadVersion, type RowsRequest } from "./rows-request.ts";
import { type FleetSelection, selectRows } from "./select-rows.ts";

/** Answers a request for one object. NotFound if no cluster shows it to the user. */
export async function readFleetObject(request: RowsRequest): Promise<ApiResponse> {
  const { resource, attributes } = request;
  const { name } = attributes;
  const namespace = resource.facts.namespaced ? attributes.namespace : "";
  if (utf8ByteCount(name) > 2 * maxNameBytes) throw badRequest("the name is longer than that of any object");
  const selected = selectRows({ resource: resource.storageId, namespace, name, labels: [], fields: [] });
  const form = chooseRowForm(request.header("accept"));
  if (form.kind === "table")
    return answerRows(request, {
      selected,
      writer: createRowWriter(request, form),
      from: undefined,
      limit: 0,
      check: ({ total }) => {
        if (total === 0) throw notFound(resource.facts, name);
      },
    });
  const version = await loadVersion(request);
  const found = await findOne(request, selected);
  if (form.kind === "partial") return documentResponse(200, createRowWriter(request, form).item(found, version));
  return { status: 200, contentType: jsonType, body: await readWhole(request, found) };
}

/** The only row of that name. Throws NotFound, or Conflict if several clusters have one. */
async function findOne(
  { parts, subject, resource, attributes: { name }, signal }: RowsRequest,
  selected: FleetSelection,
): Promise<FoundFleetRow> {
  const { rows } = await queryRows(
    parts.reader.queries(subject),
    selected,
    { limit: maxQueryRows, cursor: "" },
    signal,
  );
  const [first] = rows;
  if (first === undefined) throw notFound(resource.facts, name);
  if (rows.length > 1)
    throw severalClusters(
      resource.facts,
      name,
      rows.map(({ cluster }) => cluster),
    );
  return first;
}

/** The object as its cluster's API server answers it to this user, now. */
async function readWhole(
  { parts: { authorizer, tunnels }, subject, log, signal }: RowsRequest,
  { cluster, resource, row: { namespace, name } }: FoundFleetRow,
): Promise<Uint8Array> {
  await authorize(authorizer, subject, { ...readObjects, name: cluster }, log);
  const { user, groups } = subject;
  return tunnels.readObject({ cluster, read: { user, groups, resource, namespace, name }, log }, signal);
}

/** The permission that GetObject declares. */
const readObjects = {
  kind: "resource",
  verb: "get",
  apiGroup: fleetApiGroup,
  resource: "objects",
  subresource: "",
  namespace: "",
} as const;
