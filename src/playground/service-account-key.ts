// SPDX-License-Identifier: Apache-2.0
import type { KeyObject } from "node:crypto";
import { createKey } from "../rpc/tls/hub-ca.ts";
import { closeToOthers, loadPemFileIfThere } from "../rpc/tls/pem-file.ts";
import { certificateInvalid, parsePrivateKey } from "../rpc/tls/server-identity.ts";

/**
 * The key that signs the tokens of a cluster's service accounts, created in `file` at the first start. It is kept, so
 * tokens stay valid after a restart of the cluster. Rejects with CERTIFICATE_INVALID for a file that holds no P-256
 * key: replacing the key would invalidate every token silently.
 */
export async function openAccountKey(file: string): Promise<KeyObject> {
  const stored = await loadPemFileIfThere(file);
  if (stored === undefined) return createKey(file);
  await closeToOthers(file);
  const key = parsePrivateKey(stored, file);
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw certificateInvalid(
    `${file} does not hold a P-256 key; remove it to create a new key, which invalidates every token of the cluster's service accounts`,
  );
}
