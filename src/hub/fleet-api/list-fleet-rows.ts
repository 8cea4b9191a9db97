// SPDX-License-Identifier: Apache-2.0
// Lists (FA3, FA9): one page if a limit is given, else everything, streamed page by page.
import type { JsonObject } from "../../apiserver/json/json.ts";
import { type ApiResponse, jsonType } from "../../apiserver/request/api-request.ts";
import { parseListOptions } from "../../apiserver/request/list-options.ts";
import { type FleetQueryAnswer, type FoundFleetRow, maxQueryRows } from "../rows/fleet-queries.ts";
import { type ContinueCursor, decodeContinueCursor, encodeContinueCursor } from "./continue-cursor.ts";
import { expired } from "./fleet-api-errors.ts";
import type { RowWriter } from "./fleet-table.ts";
import { type FleetVersion, formatVersion, parseVersion } from "./fleet-version.ts";
import { queryRows } from "./query-rows.ts";
import { chooseListForm, createRowWriter, loadVersion, type RowsRequest, selectCollection } from "./rows-request.ts";
import { type FleetSelection, keyOfRow } from "./select-rows.ts";

const encoder = new TextEncoder();

/** Answers a list of a collection. */
export async function listFleetRows(request: RowsRequest): Promise<ApiResponse> {
  const options = parseListOptions(request.query);
  const writer = createRowWriter(request, chooseListForm(request));
  const selected = selectCollection(request, options);
  parseVersion(options.resourceVersion);
  if (options.match === "Exact") throw expired("the fleet keeps no lists of past versions");
  const from = decodeContinueCursor(options.continueToken);
  return answerRows(request, { selected, writer, from, limit: Math.max(0, options.limit) });
}

/** The rows of an answer. */
export interface RowsAnswer {
  readonly selected: FleetSelection;
  readonly writer: RowWriter;
  readonly from: ContinueCursor | undefined;
  /** 0: all rows. */
  readonly limit: number;
  /** Throws if the answer may not be sent. */
  readonly check?: (answer: Pick<FleetQueryAnswer, "total">) => void;
}

/** Answers with rows. The warning states the coverage if it is partial (FA12). */
export async function answerRows(request: RowsRequest, asked: RowsAnswer): Promise<ApiResponse> {
  const { parts, subject, signal } = request;
  const { selected, writer, from, limit } = asked;
  const version = (from && parseVersion(from.version)) ?? (await loadVersion(request));
  const resourceVersion = formatVersion(version);
  const size = limit === 0 ? maxQueryRows : Math.min(limit, maxQueryRows);
  const page = { limit: size, cursor: from?.cursor ?? "" };
  const first = await queryRows(parts.reader.queries(subject), selected, page, signal);
  asked.check?.(first);
  noteListed(request, selected, { ...first, resourceVersion, isFirst: from === undefined });
  const coverage = await parts.coverageSentence(subject, first.clusters, selected.resource);
  const warnings = coverage === "" ? [] : [coverage];
  const answer = { status: 200, contentType: jsonType, warnings };
  if (limit === 0 && first.next !== "") return { ...answer, body: streamRows(request, asked, { version, first }) };
  const servedCount = (from?.servedCount ?? 0) + first.rows.length;
  const head = writer.listHead({
    resourceVersion,
    ...(first.next === "" ? {} : nextPage(first, { version: resourceVersion, servedCount })),
  });
  return { ...answer, body: encoder.encode(`${head}${itemTexts(writer, first.rows, version)}]}\n`) };
}

/** At least one row remains, whatever changed while pages were read. */
function nextPage(
  { total, next }: Pick<FleetQueryAnswer, "total" | "next">,
  { version, servedCount }: Omit<ContinueCursor, "cursor">,
): JsonObject {
  return {
    continue: encodeContinueCursor({ version, servedCount, cursor: next }),
    remainingItemCount: Math.max(1, total - servedCount),
  };
}

interface ListedPage extends Pick<FleetQueryAnswer, "rows" | "next"> {
  readonly resourceVersion: string;
  readonly isFirst: boolean;
}

/** Stores what a client got, if a watch needs it. */
function noteListed(
  { listed, subject }: RowsRequest,
  { isByKey, text }: FleetSelection,
  { rows, next, resourceVersion: version, isFirst }: ListedPage,
): void {
  if (!isByKey) listed.add({ subject, text, version }, rows.map(keyOfRow), { isFirst, isLast: next === "" });
}

async function* streamRows(
  request: RowsRequest,
  { selected, writer }: RowsAnswer,
  { version, first }: { readonly version: FleetVersion; readonly first: Pick<FleetQueryAnswer, "rows" | "next"> },
): AsyncGenerator<Uint8Array> {
  const { parts, subject, signal } = request;
  const queries = parts.reader.queries(subject);
  const resourceVersion = formatVersion(version);
  const head = writer.listHead({ resourceVersion });
  yield encoder.encode(`${head}${itemTexts(writer, first.rows, version)}`);
  for (let cursor = first.next; cursor !== ""; ) {
    const { rows, next } = await queryRows(queries, selected, { limit: maxQueryRows, cursor }, signal);
    noteListed(request, selected, { rows, next, resourceVersion, isFirst: false });
    if (rows.length > 0) yield encoder.encode(`,${itemTexts(writer, rows, version)}`);
    cursor = next;
  }
  yield encoder.encode("]}\n");
}

function itemTexts(writer: RowWriter, rows: readonly FoundFleetRow[], version: FleetVersion): string {
  return rows.map((found) => JSON.stringify(writer.item(found, version))).join(",");
}
