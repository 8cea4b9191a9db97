// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { CertificateSource } from "./certificate-source.ts";
import { fileStamp, loadPemFile } from "./pem-file.ts";
import { parseServerIdentity, type ServerIdentity } from "./server-identity.ts";

/** The operator's own files: a chain, leaf first, and its key. */
export interface GivenCertificateOptions {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** 5 s: two stat calls cost nothing, and polling sees what file events miss (network mounts, swapped links of Kubernetes Secrets). */
const refreshEveryMs = 5_000;

/** Certificate files given by the operator. Rejects with CERTIFICATE_INVALID if they cannot be used now. */
export async function openGivenCertificate(options: GivenCertificateOptions): Promise<CertificateSource> {
  const stamp = await stampOf(options);
  return new GivenCertificate(options, await load(options), stamp);
}

class GivenCertificate implements CertificateSource {
  readonly caFile = undefined;
  readonly refreshEveryMs = refreshEveryMs;
  readonly #options: GivenCertificateOptions;
  #current: ServerIdentity;
  /** Of the files as last tried, whether they could be used or not. */
  #triedStamp: string;

  constructor(options: GivenCertificateOptions, current: ServerIdentity, stamp: string) {
    this.#options = options;
    this.#current = current;
    this.#triedStamp = stamp;
  }

  get current(): ServerIdentity {
    return this.#current;
  }

  async refresh(): Promise<ServerIdentity | undefined> {
    const stamp = await stampOf(this.#options);
    if (stamp === this.#triedStamp) return undefined;
    const { log, certificateFile } = this.#options;
    // Taken before the read: if the files change while they are read, the next look sees another stamp and reads again.
    this.#triedStamp = stamp;
    try {
      this.#current = await load(this.#options);
    } catch (reason) {
      log.warn(
        "certificate files changed and cannot be used; the previous ones stay in force",
        { certificateFile },
        reason,
      );
      return undefined;
    }
    log.info("certificate reloaded", { certificateFile, validTo: this.#current.leaf.validToDate.toISOString() });
    return this.#current;
  }
}

async function load(options: GivenCertificateOptions): Promise<ServerIdentity> {
  const { certificateFile, keyFile, clock } = options;
  const certificatePem = await loadPemFile(certificateFile);
  const keyPem = await loadPemFile(keyFile);
  return parseServerIdentity({ certificateFile, keyFile, certificatePem, keyPem }, clock.wallMs());
}

async function stampOf({ certificateFile, keyFile }: GivenCertificateOptions): Promise<string> {
  return `${await fileStamp(certificateFile)} ${await fileStamp(keyFile)}`;
}
