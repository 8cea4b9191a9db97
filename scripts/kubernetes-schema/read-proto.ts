// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";

/** A field of a message in `generated.proto`. */
export interface ProtoField {
  readonly number: number;
  readonly repeated: boolean;
  /** `string`, `map<string, bytes>`, `.k8s.io.api.core.v1.Pod`. */
  readonly type: string;
}

/** Messages of one proto file by name; their fields by name. */
export type ProtoMessages = ReadonlyMap<string, ReadonlyMap<string, ProtoField>>;

/** Reads a proto file as Kubernetes generates it: no nested messages, one field per line. */
export function readProto(file: string): ProtoMessages {
  const messages = new Map<string, ReadonlyMap<string, ProtoField>>();
  const text = readFileSync(file, "utf8").replaceAll(/\/\/[^\n]*/g, "");
  for (const [, name = "", body = ""] of text.matchAll(/^message (\w+) \{([^}]*)\}/gm)) {
    const fields = new Map<string, ProtoField>();
    for (const [, label, type = "", field = "", number = ""] of body.matchAll(
      /^\s*(?:(optional|repeated|required) )?(map<[^>]+>|[\w.]+) (\w+) = (\d+);/gm,
    )) {
      fields.set(field, { number: Number(number), repeated: label === "repeated", type });
    }
    messages.set(name, fields);
  }
  return messages;
}
