// SPDX-License-Identifier: Apache-2.0
import { Agent, type IncomingMessage, request as sendHttp } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { abortReason, onAbort } from "../../base/abort.ts";
import { systemCodeOf } from "../credentials/read-bounded.ts";
import { NotTaken, type WireAnswer, type WireRequest } from "./channel.ts";
import { toNetworkError } from "./network-fault.ts";

/** Idle connections kept for later requests. An agent's lists follow each other on a few. */
const idleCount = 4;

/** HTTP/1.1 connections: one for each open request, kept for reuse. */
export class H1Channel {
  readonly #agent: DialAgent;

  /** `dialSocket` opens a further connection. */
  constructor(dialSocket: () => Promise<Socket>) {
    this.#agent = new DialAgent(dialSocket);
  }

  /** Adds an open socket for the next request. */
  offer(socket: Socket): void {
    this.#agent.offer(socket);
  }

  /**
   * Sends a request. Rejects with NotTaken, a KubeError, or the signal's reason. The signal applies until the response
   * headers arrive.
   */
  send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | string[]> = { host: request.authority };
      for (const [name, value] of Object.entries(request.headers))
        headers[name] = typeof value === "string" ? value : [...value];
      if (request.body !== undefined) headers["content-length"] = String(request.body.byteLength);
      const call = sendHttp({ agent: this.#agent, method: request.method, path: request.path, headers });
      let unlisten = (): void => undefined;
      call.once("response", (answer) => {
        unlisten();
        resolve(toAnswer(answer));
      });
      call.on("error", (reason: unknown) => {
        unlisten();
        const wasIdle =
          call.reusedSocket && (systemCodeOf(reason) === "ECONNRESET" || systemCodeOf(reason) === "EPIPE");
        if (wasIdle && request.method === "GET")
          reject(new NotTaken("the server had closed the idle connection", { cause: reason }));
        else reject(toNetworkError(reason, "the request"));
      });
      unlisten = onAbort(signal, () => {
        reject(abortReason(signal));
        call.destroy();
      });
      call.end(request.body);
    });
  }

  /** Ends every connection. */
  destroy(): void {
    this.#agent.destroy();
  }
}

function toAnswer(answer: IncomingMessage): WireAnswer {
  const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  answer.on("error", () => undefined); // the stream's end reports the failure to the reader
  return {
    status: answer.statusCode ?? 0,
    headers: new Map(pairs),
    stream: answer,
    isWhole: () => answer.complete,
    // A completely read body leaves the connection for the next request.
    cancel: () => {
      if (!answer.readableEnded) answer.destroy();
    },
  };
}

/** An agent whose connections are opened by `dialSocket`. */
class DialAgent extends Agent {
  readonly #dialSocket: () => Promise<Socket>;
  readonly #offered: Socket[] = [];

  constructor(dialSocket: () => Promise<Socket>) {
    super({ keepAlive: true, maxFreeSockets: idleCount });
    this.#dialSocket = dialSocket;
  }

  offer(socket: Socket): void {
    // An unused socket that fails is simply not used.
    socket.on("error", () => undefined);
    this.#offered.push(socket);
  }

  override createConnection(
    _options: unknown,
    callback?: (failure: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const offered = this.#offered.pop();
    if (offered !== undefined && !offered.destroyed && offered.readable) return offered;
    void this.#dialFor(callback);
    return undefined;
  }

  async #dialFor(callback: ((failure: Error | null, stream: Duplex) => void) | undefined): Promise<void> {
    let socket: Socket;
    try {
      socket = await this.#dialSocket();
    } catch (reason) {
      const failure = reason instanceof Error ? reason : new Error("dialling failed", { cause: reason });
      // @ts-expect-error Node takes no stream beside a failure; its types ask for one.
      callback?.(failure);
      return;
    }
    callback?.(null, socket);
  }

  override destroy(): void {
    for (const socket of this.#offered.splice(0)) socket.destroy();
    super.destroy();
  }
}
