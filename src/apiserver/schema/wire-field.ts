// SPDX-License-Identifier: Apache-2.0
import type { FieldSchema } from "./schema.ts";

/** A field as protobuf sees it. Every field of a schema is one. */
export interface WireField extends FieldSchema {
  /** Go embeds the struct of this field: on the wire it is in a message of that number, and `protobufNumber` counts in there. */
  readonly protobufWithin?: number;
}
