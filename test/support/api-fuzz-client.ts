// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from "node:https";
import type { Clock } from "../../src/base/time/clock.ts";
import type { FuzzRequest } from "./api-fuzz-requests.ts";

export interface FuzzAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Of a watch, what came at first. */
  readonly text: string;
  readonly tookMs: number;
}

/**
 * The longest honest answer waits 3 s for a version of the future; what takes ten times that, on a machine however
 * busy, hangs.
 */
const hangMs = 30_000;
/** How long a stream is looked at: it may well have nothing to say. */
const streamMs = 50;

/** Sends requests as they are, over connections that are kept. Close it, or they stay. */
export class FuzzClient {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #token: string;

  constructor(server: { readonly url: string; readonly ca: string }, token: string, clock: Clock) {
    this.#url = new URL(server.url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: 16, ca: server.ca });
    this.#token = token;
    this.#clock = clock;
  }

  /** Rejects where there is no answer, or none in time. A stream is cut after a moment. */
  send({ method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
    const startMs = this.#clock.nowMs();
    return new Promise((done, fail) => {
      const call = request({
        agent: this.#agent,
        host: this.#url.hostname,
        port: this.#url.port,
        method,
        path,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...headers,
          ...(body === undefined ? {} : { "content-length": String(body.length) }),
        },
      });
      const cancel = this.#clock.setTimer(hangMs, () => call.destroy(new Error(`no answer in ${hangMs} ms`)));
      call.once("error", (reason) => {
        cancel();
        fail(reason);
      });
      call.once("response", (response) => {
        let text = "";
        const { statusCode: status = 0, headers: given } = response;
        const finish = (): void => {
          cancel();
          cancelStream();
          done({ status, contentType: given["content-type"] ?? "", text, tookMs: this.#clock.nowMs() - startMs });
          if (isStream) response.destroy();
        };
        const isStream = status === 200 && given["content-length"] === undefined;
        const cancelStream = isStream ? this.#clock.setTimer(streamMs, finish) : () => undefined;
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.once("end", finish);
        response.once("error", (reason) => {
          cancel();
          cancelStream();
          fail(reason);
        });
      });
      call.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
