// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from "node:https";

/** An answer longer than this is a fault: the largest we ask for is the list of bootstrap roles, about 300 KB. */
const maxAnswerLength = 16 * 1024 * 1024;

/** No answer of a server on this machine takes that long, unless it hangs. */
const silenceLimitMs = 30_000;

/** What a request may carry. */
export interface KubeRequest {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** What a server answered. */
export interface KubeAnswer {
  readonly status: number;
  /** Parsed JSON, or the text as it is where it is none. */
  readonly body: unknown;
}

/** Where a client connects, whom it trusts and as whom it speaks. */
export interface KubeClientOptions {
  readonly url: string;
  /** PEM text. */
  readonly ca: string;
  readonly token: string;
  /** Connections at once; requests beyond wait for one. */
  readonly connectionCount?: number;
}

/** Plain HTTPS requests over connections that are kept open. Close it, or its connections stay. */
export class KubeClient {
  readonly #url: URL;
  readonly #token: string;
  readonly #agent: Agent;

  constructor({ url, ca, token, connectionCount = 8 }: KubeClientOptions) {
    this.#url = new URL(url);
    this.#token = token;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connectionCount, ca });
  }

  /**
   * One request; `path` goes out as it is, with its query. Rejects only if no whole answer comes: a refusal is an
   * answer.
   */
  send(method: string, path: string, { body, headers = {} }: KubeRequest = {}): Promise<KubeAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent: Record<string, string | string[]> = {
      authorization: `Bearer ${this.#token}`,
      accept: "application/json",
    };
    if (text !== undefined) {
      sent["content-type"] = "application/json";
      // Node announces no length by itself where a body is unusual, as with DELETE, and the rest would be taken for a
      // request.
      sent["content-length"] = String(Buffer.byteLength(text));
    }
    for (const [name, value] of Object.entries(headers)) sent[name] = typeof value === "string" ? value : [...value];
    return new Promise((done, fail) => {
      const call = request({
        agent: this.#agent,
        host: this.#url.hostname,
        port: this.#url.port,
        method,
        path,
        headers: sent,
        timeout: silenceLimitMs,
      });
      call.once("timeout", () => call.destroy(new Error(`no answer to ${method} ${path} in ${silenceLimitMs} ms`)));
      call.once("error", fail);
      call.once("response", (response) => {
        let answer = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          answer += chunk;
          if (answer.length > maxAnswerLength) response.destroy(new Error(`the answer to ${path} is too long`));
        });
        response.once("error", fail);
        response.once("end", () => done({ status: response.statusCode ?? 0, body: parseAnswer(answer) }));
      });
      call.end(text);
    });
  }

  /** As `send`, but an answer other than 2xx rejects with what the server said. */
  async ask(method: string, path: string, what: KubeRequest = {}): Promise<unknown> {
    const { status, body } = await this.send(method, path, what);
    if (status >= 200 && status < 300) return body;
    throw new Error(`${method} ${path} was answered ${status}: ${JSON.stringify(body).slice(0, 2_000)}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (reason) {
    if (reason instanceof SyntaxError) return text;
    throw reason;
  }
}
