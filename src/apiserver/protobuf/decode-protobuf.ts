// SPDX-License-Identifier: Apache-2.0
import type { DraftObject } from "../json/json.ts";
import { summarizeBytes } from "../json/unrecognized-body.ts";
import type { SchemaTable } from "../schema/schema.ts";
import { badRequest } from "../status/api-error.ts";
import { MessageDecoder } from "./decode-message.ts";
import { assertWireType, readFields } from "./decode-special.ts";
import { MalformedProtobuf, protobufPrefix, WireReader, wireTypes } from "./wire-reader.ts";

/** The kind of a request's path. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface DecodedProtobuf {
  readonly apiVersion: string;
  readonly kind: string;
  /** Includes `apiVersion` and `kind`, even if the body lacks them. */
  readonly object: DraftObject;
}

/** Whether the bytes start with the prefix of Kubernetes' protobuf. */
export function isProtobufBody(bytes: Uint8Array): boolean {
  return protobufPrefix.every((byte, index) => bytes[index] === byte);
}

/**
 * Decodes a protobuf body to the JSON that Go would encode. A body without kind or version has the expected one. A body
 * of another kind is decoded as that kind; the caller compares them. Quantities keep the client's text. Throws an
 * ApiError (400) for anything else.
 */
export function decodeProtobuf(table: SchemaTable, bytes: Uint8Array, expected: ExpectedKind): DecodedProtobuf {
  const envelope = openEnvelope(bytes, expected);
  const kind = envelope.kind === "" ? expected.kind : envelope.kind;
  const slash = envelope.apiVersion.indexOf("/");
  const isNamed = envelope.apiVersion !== "";
  const group = isNamed ? envelope.apiVersion.slice(0, Math.max(slash, 0)) : expected.group;
  const version = isNamed ? envelope.apiVersion.slice(slash + 1) : expected.version;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const refuse = (why: string): Error =>
    badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${why}`);
  const schema = table.ofKind(group, version, kind);
  if (schema === undefined) {
    throw refuse(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    const object = new MessageDecoder(table).decode(envelope.raw, schema.name);
    return { apiVersion, kind, object: { kind, apiVersion, ...object } };
  } catch (reason) {
    if (reason instanceof MalformedProtobuf) throw refuse(reason.message);
    throw reason;
  }
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: WireReader;
}

function openEnvelope(bytes: Uint8Array, expected: ExpectedKind): Envelope {
  try {
    if (bytes.length === 0) throw new MalformedProtobuf("empty data");
    if (!isProtobufBody(bytes)) {
      const why = "provided data does not appear to be a protobuf message";
      throw new MalformedProtobuf(`${why}, expected prefix [${protobufPrefix.join(" ")}]`);
    }
    if (bytes.length === protobufPrefix.length) throw new MalformedProtobuf("empty body");
    return readEnvelope(new WireReader(bytes, protobufPrefix.length));
  } catch (reason) {
    if (!(reason instanceof MalformedProtobuf)) throw reason;
    const subject = `the object provided is unrecognized (must be of type ${expected.kind})`;
    throw badRequest(`${subject}: ${reason.message} (${summarizeBytes(bytes)})`);
  }
}

/** runtime.Unknown: the kind, the message and its encoding, which is constant. */
function readEnvelope(reader: WireReader): Envelope {
  let [apiVersion, kind] = ["", ""];
  let raw = new WireReader(new Uint8Array());
  readFields(reader, "Unknown", (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    assertWireType(wireType, wireTypes.bytes, number === 1 ? "TypeMeta" : "Raw");
    const part = reader.readPart();
    if (number === 2) {
      raw = part;
      return true;
    }
    readFields(part, "TypeMeta", (each, type) => {
      if (each !== 1 && each !== 2) return false;
      assertWireType(type, wireTypes.bytes, each === 1 ? "APIVersion" : "Kind");
      if (each === 1) apiVersion = part.readText();
      else kind = part.readText();
      return true;
    });
    return true;
  });
  return { apiVersion, kind, raw };
}
