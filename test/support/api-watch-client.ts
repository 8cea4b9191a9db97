// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { parseLines, type SeenEvent } from "./api-storage.ts";

/** A watch over a connection of its own, whose reading can be stopped and taken up again. */
export class WatchClient {
  readonly events: SeenEvent[] = [];
  readonly #response: IncomingMessage;
  #pending = "";
  #news = Promise.withResolvers<void>();
  /** Resolves when the server, or this side, has ended the stream. */
  readonly ended: Promise<void>;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding("utf8").on("data", (chunk: string) => this.#take(chunk));
    response.on("error", () => undefined);
    this.ended = new Promise((resolve) => response.once("close", () => resolve()));
  }

  /** Resolves when the server has begun to answer. */
  static open(
    server: { readonly url: string; readonly ca: string },
    path: string,
    token: string,
  ): Promise<WatchClient> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const call = request(`${server.url}${path}`, { ca: server.ca, agent: false, headers });
      call.once("error", reject);
      call.once("response", (response) => {
        call.off("error", reject).on("error", () => undefined);
        resolve(new WatchClient(response));
      });
      call.end();
    });
  }

  /** Resolves with the events once that many have come. Rejects where the stream ends before. */
  async untilTold(count: number): Promise<readonly SeenEvent[]> {
    const cut = this.ended.then(() => "ended");
    while (this.events.length < count) {
      const outcome = await Promise.race([this.#news.promise, cut]);
      if (outcome === "ended" && this.events.length < count)
        throw new Error(`the watch ended after ${this.events.length} of ${count} events`);
    }
    return this.events;
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  async close(): Promise<void> {
    this.#response.destroy();
    await this.ended;
  }

  #take(chunk: string): void {
    const text = this.#pending + chunk;
    const end = text.lastIndexOf("\n") + 1;
    this.#pending = text.slice(end);
    this.events.push(...parseLines(new TextEncoder().encode(text.slice(0, end))));
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
