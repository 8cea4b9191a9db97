// SPDX-License-Identifier: Apache-2.0
import { create, type DescService, type Message } from "@bufbuild/protobuf";
import { type StringValue, StringValueSchema } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { ServiceEntry } from "../server/connect-router.ts";
import { textsOf } from "./call.ts";
import { EchoService } from "./echo-service.ts";

type Single = (text: string, context: HandlerContext) => string | Promise<string>;
type Stream = (text: string, context: HandlerContext) => AsyncIterable<string>;

/** Handlers of EchoService in terms of text; a method left out is unimplemented. */
export interface EchoHandlers {
  readonly echo?: Single;
  readonly echoNamed?: Single;
  readonly anybody?: Single;
  readonly watch?: Stream;
  readonly collect?: (texts: AsyncIterable<string>, context: HandlerContext) => Promise<string>;
  readonly chat?: (texts: AsyncIterable<string>, context: HandlerContext) => AsyncIterable<string>;
}

/** EchoService served by these handlers. */
export function echoEntry(handlers: EchoHandlers): ServiceEntry {
  const { watch, collect, chat } = handlers;
  const implementation = {
    ...single("echo", handlers.echo),
    ...single("echoNamed", handlers.echoNamed),
    ...single("anybody", handlers.anybody),
    ...(watch && { watch: (request: Message, context: HandlerContext) => messages(watch(textOf(request), context)) }),
    ...(collect && {
      collect: async (requests: AsyncIterable<Message>, context: HandlerContext) =>
        message(await collect(texts(requests), context)),
    }),
    ...(chat && {
      chat: (requests: AsyncIterable<Message>, context: HandlerContext) => messages(chat(texts(requests), context)),
    }),
  };
  return { service: EchoService, implementation: implementation as Partial<ServiceImpl<DescService>> };
}

function single(name: string, handler: Single | undefined): object {
  if (handler === undefined) return {};
  return {
    [name]: async (request: Message, context: HandlerContext) => message(await handler(textOf(request), context)),
  };
}

function textOf(request: Message): string {
  return textsOf([request])[0] ?? "";
}

function message(value: string): StringValue {
  return create(StringValueSchema, { value });
}

async function* messages(values: AsyncIterable<string>): AsyncIterable<StringValue> {
  for await (const value of values) yield message(value);
}

async function* texts(requests: AsyncIterable<Message>): AsyncIterable<string> {
  for await (const request of requests) yield textOf(request);
}
