// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { type JsonObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import type { SchemaTable } from "../schema/schema.ts";
import { withAnswerTypes } from "./answer-types.ts";
import { MessageEncoder } from "./encode-message.ts";
import { writePlainText } from "./encode-special.ts";
import { protobufPrefix } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

const listMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/** A list whose items are requested one by one, so that at most one is parsed at a time. */
export interface EncodedList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: JsonObject;
  readonly itemCount: number;
  readonly itemAt: (index: number) => JsonObject;
}

/**
 * Encodes responses byte for byte as kube-apiserver does: `k8s\0`, then runtime.Unknown (1 TypeMeta, 2 the message, 3
 * and 4 empty). Each event of a watch is a frame.
 */
export class ProtobufEncoder {
  readonly #table: SchemaTable;
  readonly #messages: MessageEncoder;
  readonly #writer = new WireWriter();

  constructor(table: SchemaTable) {
    this.#table = withAnswerTypes(table);
    this.#messages = new MessageEncoder(this.#table);
  }

  /** Encodes a response body. The table must have the object's kind and version. */
  encodeObject(object: JsonObject): Uint8Array {
    this.#writer.clear();
    this.#writeBody(object);
    return this.#writer.take();
  }

  /** Encodes a list of built-in objects. Items are requested from the last to the first. */
  encodeList({ kind, apiVersion, metadata, itemCount, itemAt }: EncodedList): Uint8Array {
    const writer = this.#writer;
    const itemType = this.#typeOf(apiVersion, kind.slice(0, -"List".length));
    writer.clear();
    this.#writeEnvelope(apiVersion, kind, () => {
      // Every list of the API has its metadata as 1 and its items as 2.
      for (let index = itemCount - 1; index >= 0; index -= 1) {
        const start = writer.byteCount;
        this.#messages.writeObject(writer, itemType, itemAt(index));
        writer.endPart(2, start);
      }
      const start = writer.byteCount;
      this.#messages.writeObject(writer, listMeta, metadata);
      writer.endPart(1, start);
    });
    return writer.take();
  }

  /**
   * One event of a watch: four bytes of length, then WatchEvent (1 type, 2 RawExtension, whose 1 is the encoded
   * object).
   */
  encodeEvent(type: string, object: JsonObject): Uint8Array {
    const writer = this.#writer;
    writer.clear();
    this.#writeBody(object);
    writer.endPart(1, 0);
    writer.endPart(2, 0);
    writePlainText(writer, 1, type);
    const length = writer.byteCount;
    for (let shift = 0; shift < 32; shift += 8) writer.writeByte((length >>> shift) & 0xff);
    return writer.take();
  }

  #writeBody(object: JsonObject): void {
    const apiVersion = textAt(object, "apiVersion") ?? "";
    const kind = textAt(object, "kind") ?? "";
    const type = this.#typeOf(apiVersion, kind);
    this.#writeEnvelope(apiVersion, kind, () => this.#messages.writeObject(this.#writer, type, object));
  }

  #writeEnvelope(apiVersion: string, kind: string, writeMessage: () => void): void {
    const writer = this.#writer;
    writePlainText(writer, 4, "");
    writePlainText(writer, 3, "");
    const messageStart = writer.byteCount;
    writeMessage();
    writer.endPart(2, messageStart);
    const typeStart = writer.byteCount;
    writePlainText(writer, 2, kind);
    writePlainText(writer, 1, apiVersion);
    writer.endPart(1, typeStart);
    writer.writeBytes(protobufPrefix);
  }

  #typeOf(apiVersion: string, kind: string): string {
    const slash = apiVersion.indexOf("/");
    const type = this.#table.ofKind(apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1), kind);
    assert(type !== undefined, `the schema table has no ${apiVersion} ${kind}`);
    return type.name;
  }
}
