// SPDX-License-Identifier: Apache-2.0
// The keys of a hub, sealed with a passphrase, as one file of a backup (ST31).
import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import { FlotillaError } from "../../base/error.ts";
import type { Random } from "../../base/random.ts";
import { FieldReader } from "../../model/field-reader.ts";

/** The file of a backup that holds the sealed keys. */
export const sealedKeysName = "keys.sealed";

/** The shortest accepted passphrase. A shorter one can be found by brute force within days on one machine. */
const leastPassphraseLength = 12;

/** The parameters of scrypt: cost (memory and time), block size, parallelization. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** The cost that OWASP's password storage page gives for interactive use: about 0.2 s and 32 MiB. */
const defaultCost: ScryptCost = { N: 2 ** 15, r: 8, p: 3 };

/** The highest accepted cost: a forged file must not exhaust the machine's memory. */
const maxCost = { N: 2 ** 18, r: 16, p: 8 };

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Authenticated with the content, so that other data sealed with the same passphrase is not accepted. */
const context = new TextEncoder().encode("flotilla sealed keys 1");

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Format 1: scrypt, AES-256-GCM over a JSON object of file names and their bytes in base64. `sealed` ends with the tag.
 */
interface SealedFile extends ScryptCost {
  readonly salt: Uint8Array;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

const keyFileNames = ["keys", "tls/ca.crt", "tls/ca.key"] as const;

/** Files by their name below the data directory. */
export type KeyFiles = ReadonlyMap<string, Uint8Array>;

/** The passphrase: the first line of its file. Throws INVALID_ARGUMENT if it is too short. */
export function parsePassphrase(text: string, file: string): string {
  const [passphrase = ""] = text.split(/\r?\n/);
  if (passphrase.length >= leastPassphraseLength) return passphrase;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `the first line of ${file} is the passphrase and has fewer than ${leastPassphraseLength} characters; choose a longer one`,
  );
}

/** The text of a sealed file. */
export function sealKeys(files: KeyFiles, passphrase: string, random: Random, cost = defaultCost): string {
  const salt = random.bytes(16);
  const nonce = random.bytes(nonceBytes);
  const content = JSON.stringify(Object.fromEntries(Array.from(files, ([name, bytes]) => [name, bytes.toBase64()])));
  const cipher = createCipheriv("aes-256-gcm", deriveKey(passphrase, { ...cost, salt }), nonce);
  cipher.setAAD(context);
  const sealed = Buffer.concat([cipher.update(content, "utf8"), cipher.final(), cipher.getAuthTag()]);
  const file = { format: 1, ...cost, salt: salt.toBase64(), nonce: nonce.toBase64(), sealed: sealed.toBase64() };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/**
 * The contents of a sealed file. Throws STORE_FOREIGN for a file of another format, INVALID_ARGUMENT for a wrong
 * passphrase.
 */
export function openKeys(text: string, passphrase: string): KeyFiles {
  const file = parseFile(text);
  const { sealed } = file;
  const at = Math.max(0, sealed.length - tagBytes);
  let content: string;
  try {
    const decipher = createDecipheriv("aes-256-gcm", deriveKey(passphrase, file), file.nonce);
    decipher.setAAD(context);
    decipher.setAuthTag(sealed.subarray(at));
    content = decipher.update(sealed.subarray(0, at), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new FlotillaError("INVALID_ARGUMENT", `the passphrase does not decrypt ${sealedKeysName} of this backup`, {
      cause,
    });
  }
  const fields = FieldReader.ofJson(content);
  return new Map(
    keyFileNames.flatMap((name) => {
      const text = fields.text(name);
      return text === undefined ? [] : [[name, Uint8Array.fromBase64(text)] as const];
    }),
  );
}

function parseFile(text: string): SealedFile {
  const fields = FieldReader.ofJson(text);
  const bytes = (name: string): Uint8Array => Uint8Array.fromBase64(fields.requiredText(name, base64));
  fields.integer("format", { min: 1, max: 1 });
  const file = {
    N: fields.integer("N", { min: 2, max: maxCost.N }),
    r: fields.integer("r", { min: 1, max: maxCost.r }),
    p: fields.integer("p", { min: 1, max: maxCost.p }),
    salt: bytes("salt"),
    nonce: bytes("nonce"),
    sealed: bytes("sealed"),
  };
  const problem = fields.problem(sealedKeysName);
  if (problem === undefined) return file;
  throw new FlotillaError("STORE_FOREIGN", `${problem}, so it is not a file of sealed keys that this release reads`);
}

function deriveKey(passphrase: string, { N, r, p, salt }: ScryptCost & { readonly salt: Uint8Array }): Buffer {
  return scryptSync(passphrase.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem: 256 * N * r });
}
