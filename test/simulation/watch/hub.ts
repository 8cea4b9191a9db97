// SPDX-License-Identifier: Apache-2.0
// The hub of the small case: the store, served to whoever dials.
import { isCancellation } from "../../../src/base/abort.ts";
import { FlotillaError } from "../../../src/base/error.ts";
import type { Clock } from "../../../src/base/time/clock.ts";
import { withDeadline } from "../../../src/base/time/deadline.ts";
import { parseCursor, parseRevision } from "../../../src/model/revision.ts";
import type { StreamEnd } from "../../../src/session/transport.ts";
import { createStore } from "../../../src/store/create-store.ts";
import type { Store, Write } from "../../../src/store/store.ts";
import type { StoreEngine } from "../../../src/store/store-engine.ts";
import { objects } from "../../../src/store/tables.ts";
import type { SimDisk } from "../../support/sim/disk.ts";
import type { SimNetwork } from "../../support/sim/network.ts";
import { encodeMessage, fromBody, parseRequest, type Reply, type Request, toBody } from "./messages.ts";

/** All rows of the case: `objects` under this prefix, told apart by name. */
const rowPrefix = ["root", "configmaps", "default"] as const;

/** Quiet time until a bookmark; clients take three of them without one as silence. */
export const bookmarkMs = 1_000;
/** A stream without any message for so long has nobody at its other end; clients ping once a second. */
const idleLimitMs = 5_000;
/** A reader that takes nothing for so long is given up; it resumes by its cursor. */
const sendLimitMs = 20_000;
/** So small that a slow reader falls out of the shared tail and is served from the change log. */
const tailBytes = 2_048;
/** So short and few that a client which was away for some seconds meets GONE. */
const retention = { everyMs: 1_000, olderThanMs: 1_500, keepCount: 5 };

export interface HubOptions {
  readonly clock: Clock;
  readonly network: SimNetwork;
  readonly disk: SimDisk<StoreEngine>;
}

/** Serves the store on host "hub" until the signal aborts. */
export async function runHub({ clock, network, disk }: HubOptions, signal: AbortSignal): Promise<void> {
  const store = await createStore(await disk.open(), { clock, bookmarkMs, tailBytes });
  const served = new Set<Promise<void>>();
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  // A broken stream is that stream's affair; anything else is a bug and ends the hub.
  const onFailure = (reason: unknown): void => {
    if (!(reason instanceof FlotillaError) && !isCancellation(ended, reason)) failed.abort(reason);
  };
  const listener = network.listen("hub", "store", (end) => {
    const serving = serveStream({ store, end, clock, onFailure }, ended).catch(onFailure);
    served.add(serving);
    void serving.finally(() => served.delete(serving));
  });
  try {
    for (;;) {
      await clock.sleep(retention.everyMs, ended);
      await store.compact(retention);
    }
  } finally {
    listener.close();
    await Promise.all(served);
    await store.close();
  }
}

interface Serving {
  readonly store: Store;
  readonly end: StreamEnd;
  readonly clock: Clock;
  readonly onFailure: (reason: unknown) => void;
}

/**
 * Answers the requests of one stream in order; a watch runs beside them. Ends with the stream, and throws what broke
 * it.
 */
async function serveStream(serving: Serving, signal: AbortSignal): Promise<void> {
  const { end, clock } = serving;
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  const watches: Promise<void>[] = [];
  const messages = end.receive[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withDeadline(() => messages.next(), {
        clock,
        limitMs: idleLimitMs,
        what: "a ping",
        signal: ended,
      });
      if (next.done === true) return;
      const request = parseRequest(next.value);
      if (request.kind === "watch") watches.push(runWatch(serving, request, ended));
      else if (request.kind !== "ping") await answer(serving, await toReply(serving.store, request), ended);
    }
  } finally {
    end.close();
    gone.abort(new FlotillaError("UNAVAILABLE", "the stream has ended"));
    await Promise.all(watches);
  }
}

async function answer({ end, clock }: Serving, reply: Reply, signal: AbortSignal): Promise<void> {
  const options = { clock, limitMs: sendLimitMs, what: "room for a message", signal };
  await withDeadline((within) => end.send(encodeMessage(reply), within), options);
}

/** Pushes changes until the stream or the watch ends. Never rejects: a failure closes the stream. */
async function runWatch(
  serving: Serving,
  request: Request & { readonly kind: "watch" },
  signal: AbortSignal,
): Promise<void> {
  try {
    await pushChanges(serving, request, signal);
  } catch (reason) {
    serving.end.close();
    serving.onFailure(reason);
  }
}

async function pushChanges(
  serving: Serving,
  request: Request & { readonly kind: "watch" },
  signal: AbortSignal,
): Promise<void> {
  const { id } = request;
  try {
    const from = parseCursor(request.cursor);
    for await (const batch of serving.store.watch(objects, { prefix: rowPrefix, from, signal })) {
      const changes = batch.changes.map(({ key, revision, value }) => ({
        name: key.at(-1) ?? "",
        revision: String(revision),
        value: value === null ? null : fromBody(value.body),
      }));
      await answer(serving, { kind: "batch", id, changes, revision: String(batch.revision) }, signal);
    }
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    await answer(serving, { kind: "error", id, code: reason.code, message: reason.message }, signal);
  }
}

async function toReply(store: Store, request: Exclude<Request, { kind: "watch" | "ping" }>): Promise<Reply> {
  const { id } = request;
  try {
    return request.kind === "write" ? await commit(store, request) : await list(store, request);
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return { kind: "error", id, code: reason.code, message: reason.message };
  }
}

async function commit(store: Store, request: Request & { readonly kind: "write" }): Promise<Reply> {
  const { id, name, value, expect } = request;
  const write: Write<typeof objects> = {
    table: objects,
    key: [...rowPrefix, name],
    value: value === null ? null : { body: toBody(value) },
    expect: expect === "any" || expect === "absent" ? expect : parseRevision(expect),
  };
  const outcome = await store.commit([write]);
  if (outcome.kind === "committed") return { kind: "written", id, revision: String(outcome.revision) };
  const actual = outcome.kind === "conflict" ? outcome.actual : 0n;
  return { kind: "conflict", id, actual: String(actual) };
}

/** Two rows a page: a list of the case takes several, and compaction may pass it on the way. */
async function list(store: Store, request: Request & { readonly kind: "list" }): Promise<Reply> {
  const { id, after, asOf } = request;
  const page = await store.list(objects, {
    prefix: rowPrefix,
    limit: 2,
    ...(after === undefined ? {} : { after: [...rowPrefix, after] }),
    ...(asOf === undefined ? {} : { asOf: parseRevision(asOf) }),
  });
  const rows = page.rows.map(({ key, revision, value }) => ({
    name: key.at(-1) ?? "",
    revision: String(revision),
    value: fromBody(value.body),
  }));
  return { kind: "page", id, rows, revision: String(page.revision), storeId: store.storeId, more: page.more };
}
