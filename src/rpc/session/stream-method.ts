// SPDX-License-Identifier: Apache-2.0
// A streaming method's messages as bytes and back: session and tunnel are the same to what carries them.
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";

/** What a method's messages are made of: `input` goes to the hub, `output` to the agent. */
export interface StreamMethod<Up extends DescMessage, Down extends DescMessage> {
  readonly input: Up;
  readonly output: Down;
}

/** Each message as bytes. Nothing is asked for before the first is wanted. */
export async function* encodeEach<Desc extends DescMessage>(
  schema: Desc,
  messages: () => AsyncIterable<MessageShape<Desc>>,
): AsyncGenerator<Uint8Array> {
  for await (const message of messages()) yield toBinary(schema, message);
}

/** Each of the bytes as a message. Nothing is asked for before the first is wanted. */
export async function* decodeEach<Desc extends DescMessage>(
  schema: Desc,
  messages: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<MessageShape<Desc>> {
  for await (const bytes of messages()) yield fromBinary(schema, bytes);
}
