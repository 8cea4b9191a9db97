// SPDX-License-Identifier: Apache-2.0
// Stands at the hub's end of every stream: reads what passes, tells the judge, and loses a message where it is told to.
import { fromBinary } from "@bufbuild/protobuf";
import {
  type ConnectRequest,
  ConnectRequestSchema,
  type ConnectResponse,
  ConnectResponseSchema,
} from "../../../src/gen/flotilla/session/v1/session_pb.ts";
import type { AcceptStream, StreamEnd } from "../../../src/session/transport.ts";

type Message = NonNullable<(ConnectRequest["message"] | ConnectResponse["message"])["case"]>;

/** One message on its way through the hub's door. */
export interface Passage {
  readonly direction: "up" | "down";
  readonly kind: Message | "none";
  /** What the stream's Hello and Welcome said; "" and 0 before. */
  readonly stream: TappedStream;
  readonly up?: ConnectRequest["message"];
  readonly down?: ConnectResponse["message"];
  readonly sizeBytes: number;
}

/** A stream as its messages describe it. */
export interface TappedStream {
  cluster: string;
  agentId: string;
  incarnation: string;
  epoch: number;
}

/** `lose`: it does not pass, and nobody is told. Bytes: they pass in its place. */
export type Fate = "pass" | "lose" | Uint8Array;

/** Told of each message before it passes. */
export type OnPassage = (passage: Passage) => Fate;

/** `accept` with the tap before it. */
export function tapAccept(accept: AcceptStream, onPassage: OnPassage): AcceptStream {
  return (end, from) => accept(new TappedEnd(end, onPassage), from);
}

class TappedEnd implements StreamEnd {
  readonly receive: AsyncIterable<Uint8Array>;
  readonly closed: StreamEnd["closed"];
  readonly #end: StreamEnd;
  readonly #onPassage: OnPassage;
  readonly #stream: TappedStream = { cluster: "", agentId: "", incarnation: "", epoch: 0 };

  constructor(end: StreamEnd, onPassage: OnPassage) {
    this.#end = end;
    this.#onPassage = onPassage;
    this.closed = end.closed;
    this.receive = {
      [Symbol.asyncIterator]: () => {
        const messages = end.receive[Symbol.asyncIterator]();
        return { next: () => this.#next(messages) };
      },
    };
  }

  async send(bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const { message: down } = fromBinary(ConnectResponseSchema, bytes);
    if (down.case === "welcome") this.#stream.epoch = Number(down.value.epoch);
    const passage: Passage = {
      direction: "down",
      kind: down.case ?? "none",
      stream: this.#stream,
      down,
      sizeBytes: bytes.length,
    };
    const fate = this.#onPassage(passage);
    if (fate !== "lose") await this.#end.send(fate === "pass" ? bytes : fate, signal);
  }

  close(error?: Parameters<StreamEnd["close"]>[0]): void {
    this.#end.close(error);
  }

  async #next(messages: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const next = await messages.next();
      if (next.done === true) return next;
      const fate = this.#take(next.value);
      if (fate !== "lose") return fate === "pass" ? next : { done: false, value: fate };
    }
  }

  #take(bytes: Uint8Array): Fate {
    const { message: up } = fromBinary(ConnectRequestSchema, bytes);
    if (up.case === "hello") {
      const { clusterId, agentId, incarnation } = up.value;
      Object.assign(this.#stream, { cluster: clusterId, agentId, incarnation });
    }
    return this.#onPassage({
      direction: "up",
      kind: up.case ?? "none",
      stream: this.#stream,
      up,
      sizeBytes: bytes.length,
    });
  }
}
