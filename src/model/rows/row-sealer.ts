// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import { type ErrorCode } from "../../base/error-codes.ts";
import type { ClusterId } from "../cluster-id.ts";
import { type ResourceId, resourceIdText } from "../gvr.ts";
import { quote } from "../text.ts";
import { ByteWriter } from "./byte-writer.ts";
import type { Hasher } from "./hasher.ts";
import { type Row, type RowContent, type RowHash, toRowHash } from "./row.ts";
import { writeRowContent } from "./row-bytes.ts";
import { faultOfRow } from "./row-check.ts";

/**
 * Version of the hashed bytes (CO41), itself hashed: another version makes every row differ, so all rows travel once.
 * 1: first.
 */
const hashVersion = 1;

/**
 * The limit on the bytes of one row (CO24): 1/64 of the default message limit, and some hundred times a typical row.
 */
export const maxRowBytes = 65_536;

/** A row as written by its sealer, borrowed until the sealer's next call. */
export interface SealedRow {
  readonly rowHash: RowHash;
  /** Namespace and name, each preceded by its length. */
  readonly key: Uint8Array;
  /**
   * The row without uid and hash: `key`, everything hashed after the uid, and the resourceVersion, which is not hashed.
   */
  readonly record: Uint8Array;
}

/**
 * Checks rows of one cluster and resource and computes their hash. Only the agent does this; the hub uses hashes as
 * received (CO40).
 */
export class RowSealer {
  readonly #writer = new ByteWriter();
  readonly #hasher: Hasher;
  readonly #cluster: ClusterId;
  readonly #resource: ResourceId;
  /** The bytes before the row's own, the same for all rows. */
  readonly #headBytes: number;

  constructor(cluster: ClusterId, resource: ResourceId, hasher: Hasher) {
    this.#cluster = cluster;
    this.#resource = resource;
    this.#hasher = hasher;
    this.#writer.u8(hashVersion);
    for (const text of [cluster, resource.group, resource.resource]) this.#writer.text(text);
    this.#headBytes = this.#writer.length;
  }

  /**
   * The row with its hash. Throws INVALID_ARGUMENT (CO63) or TOO_LARGE (CO24) with the object's name; the sealer stays
   * usable.
   */
  seal(content: RowContent): Row {
    return { ...content, rowHash: this.write(content).rowHash };
  }

  /** The hash and the hashed bytes, which the agent's table keeps. Throws as `seal` does. */
  write(content: RowContent): SealedRow {
    const fault = faultOfRow(content);
    if (fault !== undefined) throw this.#refusal("INVALID_ARGUMENT", content, fault);
    const writer = this.#writer;
    writer.reset(this.#headBytes);
    writer.text(content.namespace);
    writer.text(content.name);
    const keyEnd = writer.length;
    writer.text(content.uid);
    const contentFrom = writer.length;
    writeRowContent(writer, content);
    if (writer.length > maxRowBytes)
      throw this.#refusal("TOO_LARGE", content, `has ${writer.length} bytes, the most is ${maxRowBytes}`);
    const rowHash = toRowHash(this.#hasher.hash64(writer.view()));
    writer.text(content.resourceVersion);
    const bytes = writer.view();
    // The uid is hashed but not kept here: the key is moved into its place, directly before the content.
    const keyFrom = contentFrom - (keyEnd - this.#headBytes);
    bytes.copyWithin(keyFrom, this.#headBytes, keyEnd);
    return { rowHash, key: bytes.subarray(keyFrom, contentFrom), record: bytes.subarray(keyFrom) };
  }

  #refusal(code: ErrorCode, content: RowContent, fault: string): FlotillaError {
    const resource = resourceIdText(this.#resource);
    return new FlotillaError(code, `the row of ${resource} ${quote(`${content.namespace}/${content.name}`)} ${fault}`, {
      ids: { cluster: this.#cluster, resource },
    });
  }
}
