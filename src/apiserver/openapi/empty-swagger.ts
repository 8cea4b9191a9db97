// SPDX-License-Identifier: Apache-2.0
// The document of `/openapi/v2`, which tells nothing: clients ask for it before they give up on an unknown kind, and read all else from v3.
import type { JsonObject } from "../json/json.ts";

const title = "Kubernetes";

/** As JSON. `version` is the server's: `v1.36.3`. */
export function openApiV2(version: string): JsonObject {
  return { swagger: "2.0", info: { title, version }, paths: {}, definitions: {} };
}

/** The same as protobuf of gnostic (openapi.v2.Document): 1 swagger, 2 info (1 title, 2 version), 8 paths, 9 definitions. */
export function openApiV2Protobuf(version: string): Uint8Array {
  const info = [...text(1, title), ...text(2, version)];
  return Uint8Array.from([...text(1, "2.0"), ...part(2, info), ...part(8, []), ...part(9, [])]);
}

function text(number: number, value: string): readonly number[] {
  return part(number, [...new TextEncoder().encode(value)]);
}

/** A length and bytes. All of them are shorter than the 128 bytes from which a length takes two. */
function part(number: number, bytes: readonly number[]): readonly number[] {
  return [(number << 3) | 2, bytes.length, ...bytes];
}
