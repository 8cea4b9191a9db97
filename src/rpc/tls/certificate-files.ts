// SPDX-License-Identifier: Apache-2.0

import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { CertificateSource } from "./certificate-source.ts";
import { loadPemFile } from "./pem-file.ts";
import { type PemPair, parseServerIdentity, type ServerIdentity } from "./server-identity.ts";

/** The operator's files: a certificate chain, leaf first, and its key. */
export interface GivenCertificateOptions {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * 5 s: reading two small files is cheap, and polling sees changes that file events miss (network mounts, swapped links
 * of Kubernetes Secrets).
 */
const refreshEveryMs = 5_000;

/** Certificate files given by the operator. Rejects with CERTIFICATE_INVALID if they cannot be used now. */
export async function openCertificateFiles(options: GivenCertificateOptions): Promise<CertificateSource> {
  const pair = await loadPair(options);
  return new GivenCertificate(options, pair, parseServerIdentity(pair, options.clock.wallMs()));
}

class GivenCertificate implements CertificateSource {
  readonly caFile = undefined;
  readonly refreshEveryMs = refreshEveryMs;
  readonly #options: GivenCertificateOptions;
  #current: ServerIdentity;
  /**
   * The content last found, usable or not. Compared as text and not by time: two writes within one tick of the file
   * system's clock have the same time.
   */
  #tried: string;

  constructor(options: GivenCertificateOptions, pair: PemPair, current: ServerIdentity) {
    this.#options = options;
    this.#current = current;
    this.#tried = textOf(pair);
  }

  get current(): ServerIdentity {
    return this.#current;
  }

  async refresh(): Promise<ServerIdentity | undefined> {
    const { clock, log, certificateFile } = this.#options;
    const found = await loadPair(this.#options).catch(toFlotillaError);
    if (textOf(found) === this.#tried) return undefined;
    this.#tried = textOf(found);
    try {
      if (found instanceof FlotillaError) throw found;
      this.#current = parseServerIdentity(found, clock.wallMs());
    } catch (reason) {
      log.warn(
        "certificate files changed and cannot be used; the previous ones stay in use",
        { certificateFile },
        reason,
      );
      return undefined;
    }
    log.info("certificate reloaded", { certificateFile, validTo: this.#current.leaf.validToDate.toISOString() });
    return this.#current;
  }
}

async function loadPair({ certificateFile, keyFile }: GivenCertificateOptions): Promise<PemPair> {
  const certificatePem = await loadPemFile(certificateFile);
  return { certificateFile, keyFile, certificatePem, keyPem: await loadPemFile(keyFile) };
}

/** Changes when the content of the files changes, or the reason why they cannot be read. */
function textOf(found: PemPair | FlotillaError): string {
  return found instanceof FlotillaError ? found.message : `${found.certificatePem} ${found.keyPem}`;
}
