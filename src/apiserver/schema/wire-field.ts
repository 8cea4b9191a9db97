// SPDX-License-Identifier: Apache-2.0
import type { FieldSchema } from "./schema.ts";

/** A field with its position in protobuf. Every field of a schema is one. */
export interface WireField extends FieldSchema {
  /**
   * Set if Go embeds the struct of this field: the number of the struct's message, in which `protobufNumber` counts.
   */
  readonly protobufWithin?: number;
}
