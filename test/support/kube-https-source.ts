// SPDX-License-Identifier: Apache-2.0
// A plain KubeSource over node:https, a connection for each request: for tests of what stands on the port, not of
// connections.
import type { IncomingMessage } from "node:http";
import { Agent, request as sendRequest } from "node:https";
import { abortReason, onAbort } from "../../src/base/abort.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { faultOfStatus, KubeError } from "../../src/kube/kube-error.ts";
import type { KubeAnswer, KubeRequest, KubeSource } from "../../src/kube/kube-source.ts";

export interface HttpsSourceOptions {
  readonly url: string;
  /** PEM text. */
  readonly ca: string;
  readonly token: string;
}

/** One request and what became of it. */
export interface SentRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  status: number;
}

/** Requests as one user; remembers them all. */
export class HttpsSource implements KubeSource, Disposable {
  readonly sent: SentRequest[] = [];
  readonly #options: HttpsSourceOptions;
  readonly #agent: Agent;
  readonly #open = new Set<IncomingMessage>();

  constructor(options: HttpsSourceOptions) {
    this.#options = options;
    this.#agent = new Agent({ ca: options.ca, keepAlive: false });
  }

  /** Breaks every answer under way, as a cut of the network does. */
  cut(): void {
    for (const response of this.#open) response.destroy(new Error("cut by the test"));
  }

  [Symbol.dispose](): void {
    this.cut();
    this.#agent.destroy();
  }

  async request(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer> {
    const query = request.query ?? {};
    const seen: SentRequest = { path: request.path, query, status: 0 };
    this.sent.push(seen);
    const response = await this.#send(request, signal);
    seen.status = response.statusCode ?? 0;
    if (seen.status >= 400) {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
      throw new KubeError(
        faultOfStatus(seen.status),
        `${request.path} was answered ${seen.status}: ${text.slice(0, 300)}`,
        { status: seen.status },
      );
    }
    const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
    return { status: seen.status, headers, body: this.#read(response, signal) };
  }

  #send(
    { method, path, query = {}, headers = {}, deadlineMs }: KubeRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { url, token } = this.#options;
    const text = new URLSearchParams(query).toString();
    const target = `${url}${path}${text === "" ? "" : `?${text}`}`;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(abortReason(signal));
        return;
      }
      const call = sendRequest(target, {
        method,
        agent: this.#agent,
        headers: { ...headers, authorization: `Bearer ${token}` },
      });
      const cancel = systemClock.setTimer(deadlineMs, () =>
        call.destroy(new KubeError("timeout", `${path} was not answered in time`)),
      );
      const unlisten = onAbort(signal, () => call.destroy(abortReason(signal)));
      const finish = (): void => {
        cancel();
        unlisten();
      };
      call.on("error", (cause) => {
        finish();
        if (signal.aborted) reject(abortReason(signal));
        else reject(cause instanceof KubeError ? cause : new KubeError("tcp", `${path} failed`, { cause }));
      });
      call.once("response", (response) => {
        finish();
        resolve(response);
      });
      call.end();
    });
  }

  async *#read(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    this.#open.add(response);
    const unlisten = onAbort(signal, () => response.destroy(abortReason(signal)));
    try {
      for await (const chunk of response) yield chunk as Uint8Array;
    } catch (cause) {
      if (signal.aborted) throw abortReason(signal);
      throw new KubeError("tcp", "the answer broke off", { cause });
    } finally {
      unlisten();
      this.#open.delete(response);
      response.destroy();
    }
  }
}
