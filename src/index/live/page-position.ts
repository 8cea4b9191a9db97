// SPDX-License-Identifier: Apache-2.0
import { ByteWriter } from "../../model/rows/byte-writer.ts";
import type { CursorBinding, MacFunction } from "../query/cursor-codec.ts";
import type { LivePage } from "./live-page.ts";

/** Names pages, for one user and query. */
export type PagePositions = (page: LivePage, binding: CursorBinding) => string;

/** Version of the bytes that are hashed. 1: keys, row hashes and times of trouble. */
const version = 1;

/** Separates these hashes from those of cursors, which have the same key. */
const purpose = "live page";

/** Bytes of a position: too many to be guessed. */
const positionBytes = 18;

/**
 * Positions of live views. A position is a keyed hash of the rows that a reader has, the user, the query and the order:
 * readers resume from what they have, so a position stays valid if the hub restarts and the rows are the same. It holds
 * nothing that can be read, and no other user can compute it.
 */
export function createPagePositions(key: Uint8Array, mac: MacFunction): PagePositions {
  const digests = new WeakMap<LivePage, Uint8Array>();
  const digestOf = (page: LivePage): Uint8Array => {
    const known = digests.get(page);
    if (known !== undefined) return known;
    const digest = mac(key, contentOf(page));
    digests.set(page, digest);
    return digest;
  };
  return (page, { user, query, sort }) => {
    const message = new ByteWriter();
    for (const text of [purpose, user, query, sort]) message.text(text);
    message.bytes(digestOf(page));
    return mac(key, message.view()).subarray(0, positionBytes).toBase64({ alphabet: "base64url" });
  };
}

function contentOf(page: LivePage): Uint8Array {
  const content = new ByteWriter();
  content.text(purpose);
  content.u8(version);
  for (const { key, rowHash, troubledSinceMs } of page) {
    for (const text of [key.cluster, key.resource, key.namespace, key.name]) content.text(text);
    content.u64(rowHash);
    content.f64(troubledSinceMs ?? -1);
  }
  return content.view();
}
