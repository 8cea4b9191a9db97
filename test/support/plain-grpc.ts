// SPDX-License-Identifier: Apache-2.0
// gRPC as its specification writes it, on bare HTTP/2: what any stock client sends, with nothing of ours or of Connect
// in it.
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";

/** One call: messages are bytes, each in the frame of five bytes that gRPC puts before it. */
export class GrpcCall {
  readonly #stream: ClientHttp2Stream;
  readonly #trailers = Promise.withResolvers<IncomingHttpHeaders>();
  #received = Buffer.alloc(0);
  #isOver = false;
  #news = Promise.withResolvers<void>();

  constructor(connection: ClientHttp2Session, path: string, headers: Readonly<Record<string, string>>) {
    this.#stream = connection.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    });
    this.#stream.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#news.resolve();
    });
    this.#stream.on("response", (answer) => {
      if ("grpc-status" in answer) this.#trailers.resolve(answer); // "trailers only"
    });
    this.#stream.on("trailers", (trailers) => this.#trailers.resolve(trailers));
    this.#stream.on("close", () => {
      this.#isOver = true;
      this.#news.resolve();
    });
    this.#stream.on("error", () => undefined); // told by the status, or by a message that does not come
  }

  send(message: Uint8Array): void {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    this.#stream.write(Buffer.concat([head, message]));
  }

  end(): void {
    this.#stream.end();
  }

  /** Resets it, as a client does that has enough. */
  cancel(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** The next message. Rejects where the call ends without one. */
  async next(): Promise<Uint8Array> {
    for (;;) {
      const length = this.#received.length < 5 ? undefined : this.#received.readUInt32BE(1);
      if (length !== undefined && this.#received.length >= 5 + length) {
        if (this.#received[0] !== 0) throw new Error("the message is compressed, which nobody asked for");
        const message = new Uint8Array(this.#received.subarray(5, 5 + length));
        this.#received = this.#received.subarray(5 + length);
        return message;
      }
      if (this.#isOver) throw new Error("the call ended");
      this.#news = Promise.withResolvers();
      await this.#news.promise;
    }
  }

  /** `grpc-status`, a number as text; 0 is success. */
  async status(): Promise<string> {
    return String((await this.#trailers.promise)["grpc-status"]);
  }
}

/** One connection to a hub. Disposing closes it. */
export async function openGrpc(
  url: string,
  ca: string,
): Promise<Disposable & { call(path: string, headers?: Readonly<Record<string, string>>): GrpcCall }> {
  const connection = connect(url, { ca });
  await once(connection, "connect");
  return {
    call: (path, headers = {}) => new GrpcCall(connection, path, headers),
    [Symbol.dispose]: () => connection.destroy(),
  };
}
