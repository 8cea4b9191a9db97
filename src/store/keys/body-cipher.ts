// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createDecipheriv } from "node:crypto";
import { FlotillaError } from "../../base/error.ts";
import type { Random } from "../../base/random.ts";
import { importedKubeconfigs, standingQueryPlace } from "../tables.ts";

/** A body as stored on disk. `keyId` null: not encrypted. */
export interface SealedBody {
  readonly keyId: string | null;
  readonly body: Uint8Array;
}

/** Keys by id. New bodies are sealed with the primary key. */
export interface BodyKeys {
  readonly primary: string;
  readonly byId: ReadonlyMap<string, Uint8Array>;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** GCM also accepts shorter tags, which are easier to forge. */
const tagOptions = { authTagLength: tagBytes };

/** Resources whose bodies contain secrets of users (L18). */
const alwaysSealed = [importedKubeconfigs.resource, standingQueryPlace.resource];

/**
 * Seals and opens bodies (AES-256-GCM; layout: nonce, ciphertext, tag). Table and key are authenticated with the body,
 * so a sealed body that was copied to another row does not open there (ST27).
 */
export class BodyCipher {
  readonly #keys: BodyKeys | undefined;
  readonly #random: Random;
  readonly #resources: ReadonlySet<string>;

  /**
   * `resources`: the second key part of the `objects` rows to seal, such as `secrets`. Imported kubeconfigs and
   * standing queries are always included. Without keys nothing is sealed.
   */
  constructor(options: { readonly keys?: BodyKeys; readonly random: Random; readonly resources: readonly string[] }) {
    this.#keys = options.keys;
    this.#random = options.random;
    this.#resources = new Set([...options.resources, ...alwaysSealed]);
  }

  /** The id of the key that seals this row's body; null: not sealed. */
  keyIdFor(table: string, key: string): string | null {
    const resource = table === "objects" ? key.split("\u001f", 2)[1] : undefined;
    return this.#keys !== undefined && resource !== undefined && this.#resources.has(resource)
      ? this.#keys.primary
      : null;
  }

  seal(table: string, key: string, body: Uint8Array): SealedBody {
    const keyId = this.keyIdFor(table, key);
    if (keyId === null) return { keyId, body };
    const nonce = this.#random.bytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key(keyId, table), nonce, tagOptions).setAAD(associated(table, key));
    return { keyId, body: Buffer.concat([nonce, cipher.update(body), cipher.final(), cipher.getAuthTag()]) };
  }

  open(table: string, key: string, sealed: SealedBody): Uint8Array {
    if (sealed.keyId === null) return sealed.body;
    const { body } = sealed;
    const bodyKey = this.#key(sealed.keyId, table);
    try {
      const decipher = createDecipheriv(algorithm, bodyKey, body.subarray(0, nonceBytes), tagOptions)
        .setAAD(associated(table, key))
        .setAuthTag(body.subarray(-tagBytes));
      return Buffer.concat([decipher.update(body.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    } catch (cause) {
      throw new FlotillaError(
        "STORE_CORRUPT",
        `an encrypted body of ${table} cannot be decrypted with its key ${sealed.keyId}: it was damaged or moved`,
        { cause },
      );
    }
  }

  #key(keyId: string, table: string): Uint8Array {
    const key = this.#keys?.byId.get(keyId);
    if (key !== undefined) return key;
    throw new FlotillaError(
      "STORE_KEY_MISSING",
      `a body of ${table} is encrypted with key ${keyId}, which is not in the key file; restore the key file that has it`,
      {
        ids: { keyId },
      },
    );
  }
}

function associated(table: string, key: string): Uint8Array {
  return Buffer.from(`${table}\u001f${key}`, "utf8");
}
