// SPDX-License-Identifier: Apache-2.0
// The messages of the small case: a store served over a stream, as JSON. Revisions travel as decimal text.
import { z } from "zod";
import { type ErrorCode, errorCodes } from "../../../src/base/error-codes.ts";

const revision = z.string().regex(/^\d{1,19}$/);

/** One row or change as it travels. A `value` of null is a delete. */
const row = z.object({ name: z.string(), revision, value: z.string().nullable() });

const request = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("write"),
    id: z.number(),
    name: z.string(),
    value: z.string().nullable(),
    expect: z.union([z.literal("any"), z.literal("absent"), revision]),
  }),
  z.object({ kind: z.literal("list"), id: z.number(), after: z.string().optional(), asOf: revision.optional() }),
  z.object({ kind: z.literal("watch"), id: z.number(), cursor: z.string() }),
  z.object({ kind: z.literal("ping") }),
]);

const reply = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("written"), id: z.number(), revision }),
  z.object({ kind: z.literal("conflict"), id: z.number(), actual: revision }),
  z.object({
    kind: z.literal("page"),
    id: z.number(),
    rows: z.array(row),
    revision,
    storeId: z.string(),
    more: z.boolean(),
  }),
  z.object({ kind: z.literal("batch"), id: z.number(), changes: z.array(row), revision }),
  z.object({ kind: z.literal("error"), id: z.number(), code: z.string().refine(isErrorCode), message: z.string() }),
]);

export type WireRow = Readonly<z.infer<typeof row>>;
export type Request = z.infer<typeof request>;
export type Reply = z.infer<typeof reply>;

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeMessage(message: Request | Reply): Uint8Array {
  return encoder.encode(JSON.stringify(message));
}

export function parseRequest(bytes: Uint8Array): Request {
  return request.parse(JSON.parse(decoder.decode(bytes)));
}

export function parseReply(bytes: Uint8Array): Reply {
  return reply.parse(JSON.parse(decoder.decode(bytes)));
}

/** A body of `objects` as text, and back. */
export function toBody(value: string): Uint8Array {
  return encoder.encode(value);
}

export function fromBody(body: Uint8Array): string {
  return decoder.decode(body);
}
