// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../../src/base/abort.ts";
import { FlotillaError } from "../../../src/base/error.ts";
import type { Clock } from "../../../src/base/time/clock.ts";
import { withDeadline } from "../../../src/base/time/deadline.ts";
import type { SessionTransport, StreamEnd } from "../../../src/session/transport.ts";
import { bookmarkMs } from "./hub.ts";
import { encodeMessage, parseReply, type Reply, type Request } from "./messages.ts";

/** Three bookmarks missed in a row: the stream is taken for dead, whatever it says itself (L11). */
const silenceMs = 3 * bookmarkMs;
const pingMs = 1_000;

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly transport: SessionTransport;
}

/** A client's stream while it is open. */
export interface Connection {
  /** Sends a request; the id of its replies comes back. */
  request(make: (id: number) => Request): Promise<number>;
  /** The next reply, which must be one to that request. An `error` reply is thrown, as is silence. */
  reply(id: number): Promise<Exclude<Reply, { kind: "error" }>>;
}

/** Dials, pings while `use` runs, and closes. Rejects as `use` does. */
export async function withConnection<Result>(
  options: ConnectionOptions,
  signal: AbortSignal,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const end = await options.transport.dial(signal);
  const done = new AbortController();
  const ended = AbortSignal.any([signal, done.signal]);
  const pinging = ping(end, options.clock, ended);
  try {
    return await use(createConnection(end, options.clock, signal));
  } finally {
    end.close();
    done.abort(new FlotillaError("UNAVAILABLE", "the connection is closed"));
    await pinging;
  }
}

function createConnection(end: StreamEnd, clock: Clock, signal: AbortSignal): Connection {
  const messages = end.receive[Symbol.asyncIterator]();
  let lastId = 0;
  const within = <T>(what: string, run: (limit: AbortSignal) => Promise<T>): Promise<T> =>
    withDeadline(run, { clock, limitMs: silenceMs, what, signal });
  return {
    async request(make) {
      lastId += 1;
      const message = encodeMessage(make(lastId));
      await within("room for a request", (limit) => end.send(message, limit));
      return lastId;
    },
    async reply(id) {
      const next = await within("a message of the hub", () => messages.next());
      if (next.done === true) throw new FlotillaError("UNAVAILABLE", "the hub closed the stream");
      const reply = parseReply(next.value);
      if (reply.id !== id) throw new Error(`a reply to ${reply.id} came where one to ${id} was due`);
      if (reply.kind === "error") throw new FlotillaError(reply.code, reply.message);
      return reply;
    },
  };
}

async function ping(end: StreamEnd, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(pingMs, signal);
      await end.send(encodeMessage({ kind: "ping" }), signal);
    }
  } catch (reason) {
    // The stream broke or was closed: whoever reads from it sees that too.
    if (!(reason instanceof FlotillaError) && !isCancellation(signal, reason)) throw reason;
  }
}
