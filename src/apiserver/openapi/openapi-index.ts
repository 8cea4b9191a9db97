// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { JsonObject } from "../json/json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { groupVersionPath } from "./resource-paths.ts";

/** A group and version and the hash of its document. */
export interface HashedGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly hash: string;
}

/** What `/openapi/v3` answers. Addresses have no prefix of a workspace: clients add the one that they came with. */
export function openApiIndex(groupVersions: readonly HashedGroupVersion[]): JsonObject {
  const paths = groupVersions.map(({ group, version, hash }): [string, JsonObject] => {
    const path = groupVersionPath(group, version);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The text that names a document's content in addresses and ETags: SHA-512 in capital hex, as the real server writes it. */
export function contentHash(document: JsonObject): string {
  return createHash("sha512").update(stringifyJson(document)).digest("hex").toUpperCase();
}
