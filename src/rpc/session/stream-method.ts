// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes the messages of a streaming method; sessions and tunnels use the same code.
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";

/** The message types of a streaming method: `input` goes to the hub, `output` to the agent. */
export interface StreamMethod<Up extends DescMessage, Down extends DescMessage> {
  readonly input: Up;
  readonly output: Down;
}

/** Encodes each message. Lazy: `messages` is called when the first one is read. */
export async function* encodeEach<Desc extends DescMessage>(
  schema: Desc,
  messages: () => AsyncIterable<MessageShape<Desc>>,
): AsyncGenerator<Uint8Array> {
  for await (const message of messages()) yield toBinary(schema, message);
}

/** Decodes each message. Lazy: `messages` is called when the first one is read. */
export async function* decodeEach<Desc extends DescMessage>(
  schema: Desc,
  messages: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<MessageShape<Desc>> {
  for await (const bytes of messages()) yield fromBinary(schema, bytes);
}
