// SPDX-License-Identifier: Apache-2.0
import { ProtobufEncoder } from "../protobuf/encode-protobuf.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";

let made: ProtobufEncoder | undefined;

/**
 * The encoder of protobuf responses, one per process. Created on first use: it holds a buffer, and many servers never
 * need it.
 */
export function protobufEncoder(): ProtobufEncoder {
  made ??= new ProtobufEncoder(loadSchemaTable());
  return made;
}
