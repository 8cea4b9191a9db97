// SPDX-License-Identifier: Apache-2.0
import {
  create,
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  type Message,
} from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import type { ContextValues, Transport } from "@connectrpc/connect";

export interface CallOptions {
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly contextValues?: ContextValues;
}

/**
 * Calls any method with an empty request, or with `text` if it takes a StringValue. Returns all responses; throws the
 * transport's errors.
 */
export async function callMethod(
  transport: Transport,
  method: DescMethod,
  options: CallOptions = {},
): Promise<Message[]> {
  const message = requestOf(method, options.text);
  if (isUnary(method)) {
    const answer = await transport.unary(
      method,
      options.signal,
      undefined,
      options.headers,
      message,
      options.contextValues,
    );
    return [answer.message];
  }
  if (!isStreaming(method)) return [];
  const messages = (async function* () {
    yield message;
  })();
  const answer = await transport.stream(
    method,
    options.signal,
    undefined,
    options.headers,
    messages,
    options.contextValues,
  );
  return Array.fromAsync(answer.message);
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

function isStreaming(method: DescMethod): method is DescMethodStreaming {
  return method.methodKind !== "unary";
}

function requestOf(method: DescMethod, text: string | undefined): Message {
  if (text === undefined) return create(method.input);
  return create(StringValueSchema, { value: text });
}

/** The text of StringValue answers. */
export function textsOf(messages: readonly Message[]): string[] {
  return messages.map((message) => ("value" in message && typeof message.value === "string" ? message.value : ""));
}
