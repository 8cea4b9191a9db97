// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../../base/assert.ts";
import { settle } from "../../../base/testing/manual-clock.ts";
import { type AskOptions, ask, keysOf, type OpenRoute, type TableBody } from "./ask-route.ts";

/** One event of a watch. */
export interface WatchLine {
  readonly type: string;
  readonly object: TableBody & { readonly reason?: string; readonly message?: string };
}

/** A watch whose events are read as they arrive. */
export class Watching implements AsyncDisposable {
  isEnded = false;
  readonly #lines: WatchLine[] = [];
  readonly #left = new AbortController();
  #reading: Promise<void> = Promise.resolve();

  /** Sends the request. Throws if it is not answered by a stream. */
  async open(route: OpenRoute, url: string, options: AskOptions = {}): Promise<this> {
    const { status, body } = await ask(route, url, { ...options, signal: this.#left.signal });
    assert(status === 200 && !(body instanceof Uint8Array), `a watch is a stream, not ${status}`);
    this.#reading = this.#read(body);
    return this;
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const piece of body)
      for (const line of Buffer.from(piece).toString().trimEnd().split("\n"))
        this.#lines.push(JSON.parse(line) as WatchLine);
    this.isEnded = true;
  }

  /** Takes the events so far. */
  async take(): Promise<readonly WatchLine[]> {
    // Each flush is read, looked up and written in a few turns; a test has a handful of flushes.
    for (let turn = 0; turn < 20; turn += 1) await settle();
    return this.#lines.splice(0);
  }

  /** Takes the events so far, each as `ADDED east/web-1`. */
  async takeKeys(): Promise<readonly string[]> {
    return (await this.take()).map(({ type, object }) => {
      const [key = object.reason ?? ""] = "rows" in object ? keysOf(object) : [];
      return `${type} ${key}`.trimEnd();
    });
  }

  /** The client leaves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#left.abort(new Error("the client left"));
    await this.#reading;
  }
}
