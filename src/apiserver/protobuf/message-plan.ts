// SPDX-License-Identifier: Apache-2.0
import type { ObjectSchema, WireField } from "../schema/schema.ts";

/** A message type, indexed by field number. */
export interface MessagePlan {
  readonly goName: string;
  /** Fields in JSON order; a message's values are stored by this index. */
  readonly fields: readonly WireField[];
  /** Number -> index in `fields`. */
  readonly byNumber: ReadonlyMap<number, number>;
  /** Number of an embedded struct's message -> number of its field -> index in `fields`. */
  readonly embedded: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

const plans = new WeakMap<ObjectSchema, MessagePlan>();

/** The plan of a type, computed once. */
export function planOf(schema: ObjectSchema): MessagePlan {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const fields: WireField[] = [];
  const byNumber = new Map<number, number>();
  const embedded = new Map<number, Map<number, number>>();
  for (const field of schema.fields.values()) {
    const { protobufNumber, protobufWithin }: WireField = field;
    if (protobufNumber === undefined) continue;
    const numbers =
      protobufWithin === undefined ? byNumber : (embedded.get(protobufWithin) ?? new Map<number, number>());
    numbers.set(protobufNumber, fields.length);
    if (protobufWithin !== undefined) embedded.set(protobufWithin, numbers);
    fields.push(field);
  }
  const made: MessagePlan = { goName: schema.goName, fields, byNumber, embedded };
  plans.set(schema, made);
  return made;
}
