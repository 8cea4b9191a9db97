// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../base/error.ts";
import { WaitQueue } from "../../../base/queues/wait-queue.ts";
import type { StreamEnd, StreamEnding } from "../../../session/transport.ts";

/** One end of a stream in memory, which can be cut, or made deaf without anybody noticing. */
export class TestEnd implements StreamEnd {
  readonly #inbox: Uint8Array[] = [];
  readonly #readers = new WaitQueue();
  readonly #ending = Promise.withResolvers<StreamEnding>();
  #ended: StreamEnding | undefined;
  /** Nothing that is sent here arrives, and nobody is told. */
  isDeaf = false;
  peer: TestEnd | undefined;

  readonly receive: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({ next: () => this.#next() }),
  };

  get closed(): Promise<StreamEnding> {
    return this.#ending.promise;
  }

  get isClosed(): boolean {
    return this.#ended !== undefined;
  }

  async send(message: Uint8Array): Promise<void> {
    if (this.#ended !== undefined) throw new FlotillaError("UNAVAILABLE", "the stream is closed");
    if (!this.isDeaf) this.peer?.deliver(message);
  }

  deliver(message: Uint8Array): void {
    if (this.#ended !== undefined) return;
    this.#inbox.push(message.slice());
    this.#readers.resolveAll();
  }

  close(error?: FlotillaError): void {
    this.end(error === undefined ? { kind: "ended" } : { kind: "failed", error });
    if (!this.isDeaf)
      this.peer?.end(
        error === undefined
          ? { kind: "ended" }
          : { kind: "failed", error: new FlotillaError("UNAVAILABLE", "the stream broke") },
      );
  }

  end(ending: StreamEnding): void {
    if (this.#ended !== undefined) return;
    this.#ended = ending;
    this.#ending.resolve(ending);
    this.#readers.resolveAll();
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const failed = this.#ended?.kind === "failed" ? this.#ended.error : undefined;
      if (failed !== undefined) throw failed;
      const value = this.#inbox.shift();
      if (value !== undefined) return { done: false, value };
      if (this.#ended !== undefined) return { done: true, value: undefined };
      await this.#readers.wait(undefined);
    }
  }
}

/** Two ends of one stream. */
export function createStreamPair(): { readonly client: TestEnd; readonly server: TestEnd } {
  const [client, server] = [new TestEnd(), new TestEnd()];
  client.peer = server;
  server.peer = client;
  return { client, server };
}
