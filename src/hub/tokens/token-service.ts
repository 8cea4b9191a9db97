// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { FlotillaError } from "../../base/error.ts";
import {
  type Token,
  TokenSchema,
  TokenService,
  type WatchTokensResponseSchema,
} from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { type Cursor, cursorText, parseCursor, toRevision } from "../../model/revision.ts";
import { callerOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { listPages } from "../../store/follow-table.ts";
import type { RowPage, Store, TableRow } from "../../store/store.ts";
import { tokens } from "../../store/tables.ts";
import { actorOf } from "../audit/actor-of.ts";
import { checkNewToken } from "./new-token.ts";
import { type TokenRecord, toTokenRecord } from "./token-record.ts";
import type { TokenRegistry } from "./token-registry.ts";

type WatchMessage = MessageInitShape<typeof WatchTokensResponseSchema>;

/** Maximum rows of one page. */
const maxPageSize = 500;

/** TokenService over the store and the registry of live tokens. */
export function createTokenService(store: Store, registry: TokenRegistry): ServiceEntry {
  const toToken = (record: TokenRecord): Token => toMessage(record, registry.lastUsedAtMs(record.id));
  return serviceEntry(TokenService, {
    async createToken(request, { values }) {
      const { endsAtMs: makerEndsAtMs } = callerOf(values);
      const { record, text } = await registry.create({ ...checkNewToken(request), makerEndsAtMs }, actorOf(values));
      return { token: toToken(record), secret: text };
    },

    async listTokens(request) {
      const from = parsePageToken(request.pageToken, store.workspace);
      const limit = request.pageSize === 0 ? maxPageSize : Math.min(request.pageSize, maxPageSize);
      const page = await store.list(tokens, { prefix: [store.workspace], limit, ...from });
      return {
        tokens: page.rows.map((row) => toToken(recordOf(row))),
        nextPageToken: formatPageToken(page),
        cursor: cursorText(store.cursor(page.revision)),
      };
    },

    async revokeToken(request, { values }) {
      return { revoked: await registry.revoke(request.id, actorOf(values)) };
    },

    async *watchTokens(request, context) {
      const from = request.cursor === "" ? yield* snapshot(store, toToken) : parseCursor(request.cursor);
      for await (const batch of store.watch(tokens, { prefix: [store.workspace], from, signal: context.signal })) {
        for (const { key, value, revision } of batch.changes) {
          const id = key[1] ?? "";
          const cursor = cursorText(store.cursor(revision));
          if (value === null) yield { event: { case: "deleted", value: id }, cursor };
          else yield { event: { case: "upserted", value: toToken(toTokenRecord(id, revision, value)) }, cursor };
        }
        if (batch.changes.length === 0)
          yield { event: { case: "bookmark", value: {} }, cursor: cursorText(store.cursor(batch.revision)) };
      }
    },
  });
}

/**
 * Yields every token at one revision, then a bookmark; returns where the watch continues. Its messages carry no cursor:
 * an interrupted snapshot starts again.
 */
async function* snapshot(store: Store, toToken: (record: TokenRecord) => Token): AsyncGenerator<WatchMessage, Cursor> {
  let cursor = store.cursor();
  for await (const { rows, revision } of listPages(store, tokens, [store.workspace])) {
    cursor = store.cursor(revision);
    for (const row of rows) yield { event: { case: "upserted", value: toToken(recordOf(row)) } };
  }
  yield { event: { case: "bookmark", value: { snapshotComplete: true } }, cursor: cursorText(cursor) };
  return cursor;
}

function recordOf(row: TableRow<typeof tokens>): TokenRecord {
  return toTokenRecord(row.key[1] ?? "", row.revision, row.value);
}

function toMessage(record: TokenRecord, lastUsedAtMs: number | undefined): Token {
  const { id, user, description, revision, expiresAtMs, parentId = "" } = record;
  return create(TokenSchema, {
    id,
    user,
    description,
    revision,
    parentId,
    groups: [...record.groups],
    createdAt: timestampFromMs(record.createdAtMs),
    ...(expiresAtMs === undefined ? {} : { expiresAt: timestampFromMs(expiresAtMs) }),
    ...(lastUsedAtMs === undefined ? {} : { lastUsedAt: timestampFromMs(lastUsedAtMs) }),
  });
}

/** Revision and last id: the next page is read at the same revision. */
function formatPageToken(page: RowPage<typeof tokens>): string {
  const last = page.rows.at(-1)?.key[1];
  return page.more && last !== undefined ? `${page.revision}.${last}` : "";
}

function parsePageToken(
  text: string,
  workspace: string,
): {
  readonly asOf?: ReturnType<typeof toRevision>;
  readonly after?: readonly string[];
} {
  if (text === "") return {};
  const [, revision, id] = /^([1-9][0-9]{0,15})\.([a-z0-9_]{1,64})$/.exec(text) ?? [];
  if (revision === undefined || id === undefined) {
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      "page_token was not issued by this hub; leave it empty for the first page",
    );
  }
  return { asOf: toRevision(BigInt(revision)), after: [workspace, id] };
}
