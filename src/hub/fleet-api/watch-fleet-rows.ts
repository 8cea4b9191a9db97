// SPDX-License-Identifier: Apache-2.0
// Watches (FA11): events of the selected rows from a version on, or from the present rows on.
import type { JsonObject } from "../../apiserver/json/json.ts";
import { type ApiResponse, jsonType } from "../../apiserver/request/api-request.ts";
import { type ListOptions, parseListOptions } from "../../apiserver/request/list-options.ts";
import { invalid } from "../../apiserver/status/api-error.ts";
import { forbiddenField } from "../../apiserver/status/field-error.ts";
import { toStatus } from "../../apiserver/status/status-object.ts";
import { isCancellation } from "../../base/abort.ts";
import { hasCode } from "../../base/error.ts";
import { expired, toFleetApiError } from "./fleet-api-errors.ts";
import type { RowWriter } from "./fleet-table.ts";
import { type FleetVersion, formatVersion, objectVersion, parseVersion } from "./fleet-version.ts";
import { FollowedRows, type RowEvent } from "./followed-rows.ts";
import { chooseListForm, createRowWriter, loadVersion, type RowsRequest, selectCollection } from "./rows-request.ts";
import { WatchPace } from "./watch-pace.ts";

const encoder = new TextEncoder();

/** The most events of one piece of the stream. */
const eventsPerPiece = 100;

/** Answers a watch. Throws Expired if changes since the version are no longer kept, or the user's rights changed. */
export async function watchFleetRows(request: RowsRequest): Promise<ApiResponse> {
  const { parts, listed, subject, query, signal } = request;
  const options = parseListOptions(query);
  if (options.sendInitialEvents !== undefined) throw noInitialEvents();
  const writer = createRowWriter(request, chooseListForm(request));
  const selected = selectCollection(request, options);
  const from = parseVersion(options.resourceVersion);
  const start = await loadVersion(request);
  if (from !== undefined) assertContinued(request, from, start);
  const followed = new FollowedRows({ queries: parts.reader.queries(subject), selected, signal });
  // Only a list has this very text: after an event the client may have a part of the step that follows.
  const list = { subject, text: selected.text, version: options.resourceVersion };
  const known = from === undefined ? new Set<string>() : listed.get(list);
  await followed.open(known);
  const caughtUpAt = known === undefined ? parts.reader.changes(subject).cursor.position : 0;
  return {
    status: 200,
    contentType: jsonType,
    body: streamEvents(request, { options, writer, followed, from, start, caughtUpAt }),
  };
}

/** As a server without watch-list answers. Clients list and watch instead. */
function noInitialEvents(): Error {
  const because = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
  return invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", [forbiddenField("sendInitialEvents", because)]);
}

function assertContinued({ parts, subject }: RowsRequest, from: FleetVersion, now: FleetVersion): void {
  try {
    parts.reader.changes(subject).assertKept(from);
  } catch (reason) {
    if (!hasCode(reason, "GONE")) throw reason;
    throw expired(`too old resource version: ${formatVersion(from)}`);
  }
  if (from.access !== now.access) throw accessChanged();
}

function accessChanged(): Error {
  return expired("the clusters or the rights of the user have changed since the resourceVersion");
}

interface EventStream {
  readonly options: ListOptions;
  readonly writer: RowWriter;
  readonly followed: FollowedRows;
  /** Undefined: the stream begins with the present rows. */
  readonly from: FleetVersion | undefined;
  /** The version before `followed` was opened. */
  readonly start: FleetVersion;
  /** The position up to which the client may have rows that `followed` does not know of. */
  readonly caughtUpAt: number;
}

/** The events as lines of JSON. A failure is the last event, as the response has begun. */
async function* streamEvents(request: RowsRequest, stream: EventStream): AsyncGenerator<Uint8Array> {
  const { signal, log, requestId } = request;
  try {
    yield* events(request, stream);
  } catch (reason) {
    if (isCancellation(signal, reason)) return;
    const error = toFleetApiError(hasCode(reason, "GONE") ? expired("the watch was too slow") : reason, requestId);
    if (error.code === 500) log.error("watch of the fleet ended by an unexpected internal error", {}, reason);
    yield eventLine("ERROR", toStatus(error));
  }
}

async function* events(
  { parts, subject, signal }: RowsRequest,
  { options, writer, followed, from, start, caughtUpAt }: EventStream,
): AsyncGenerator<Uint8Array> {
  const { reader, clock, random } = parts;
  const feed = reader.changes(subject, { resources: new Set([followed.resource]) });
  const first = from ?? start;
  let version = first;
  if (from === undefined) yield* eventPieces(writer, followed.present(), { before: start, after: start });
  using pace = new WatchPace(
    { clock, random, reader, subject },
    { options, access: first.access, read: (over) => feed.read(first, over), signal },
  );
  for (;;) {
    const step = await pace.next();
    switch (step.kind) {
      case "end":
        return;
      case "accessChanged":
        throw accessChanged();
      case "bookmark":
        yield eventLine("BOOKMARK", writer.eventObject(undefined, formatVersion(version)));
        break;
      case "flush": {
        const { flush } = step;
        const after: FleetVersion = { ...version, position: flush.position };
        const found = followed.apply(flush, flush.position <= caughtUpAt);
        yield* eventPieces(writer, found, { before: version, after });
        version = after;
        break;
      }
    }
  }
}

/**
 * The events of one step in pieces. Only the last carries the version after the step: a client that continues from an
 * earlier one gets the whole step again, and misses nothing. So one event is always held back.
 */
async function* eventPieces(
  writer: RowWriter,
  slices: AsyncIterable<readonly RowEvent[]>,
  { before, after }: { readonly before: FleetVersion; readonly after: FleetVersion },
): AsyncGenerator<Uint8Array> {
  let held: RowEvent | undefined;
  for await (const slice of slices) {
    const ready = [...(held === undefined ? [] : [held]), ...slice];
    held = ready.pop();
    for (let from = 0; from < ready.length; from += eventsPerPiece)
      yield Buffer.concat(ready.slice(from, from + eventsPerPiece).map((event) => toLine(writer, event, before)));
  }
  if (held !== undefined) yield toLine(writer, held, after);
}

function toLine(writer: RowWriter, event: RowEvent, version: FleetVersion): Uint8Array {
  const resourceVersion = objectVersion(version, "found" in event ? event.found.row : undefined);
  const item = "found" in event ? writer.item(event.found, version) : writer.goneItem(event.gone, resourceVersion);
  return eventLine(event.type, writer.eventObject(item, resourceVersion));
}

function eventLine(type: RowEvent["type"] | "BOOKMARK" | "ERROR", object: JsonObject): Uint8Array {
  return encoder.encode(`${JSON.stringify({ type, object })}\n`);
}
