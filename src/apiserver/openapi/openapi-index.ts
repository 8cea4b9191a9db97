// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import type { JsonObject } from "../json/json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { groupVersionPath } from "./resource-paths.ts";

/** A group and version with the hash of its document. */
export interface HashedGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly hash: string;
}

/** The response of `/openapi/v3`. URLs have no workspace prefix: clients add theirs. */
export function openApiIndex(groupVersions: readonly HashedGroupVersion[]): JsonObject {
  const paths = groupVersions.map(({ group, version, hash }): [string, JsonObject] => {
    const path = groupVersionPath(group, version);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(paths.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The hash of a document in URLs and ETags: SHA-512 in upper-case hex, as in kube-apiserver. */
export function contentHash(document: JsonObject): string {
  return createHash("sha512").update(stringifyJson(document)).digest("hex").toUpperCase();
}
