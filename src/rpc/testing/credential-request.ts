// SPDX-License-Identifier: Apache-2.0
import type { CredentialRequest } from "../auth/authenticate.ts";

/** A request over plain HTTP to the hub on port 7080 of this machine, with these headers. */
export function requestWith(
  headers: Readonly<Record<string, string>>,
  fields: Partial<Omit<CredentialRequest, "header">> = {},
): CredentialRequest {
  const byName = new Map(Object.entries(headers));
  return { path: "/", scheme: "http", host: "127.0.0.1:7080", header: (name) => byName.get(name), ...fields };
}
