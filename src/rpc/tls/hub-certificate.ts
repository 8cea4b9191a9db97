// SPDX-License-Identifier: Apache-2.0
import { createPublicKey } from "node:crypto";
import { join } from "node:path";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { createServerCertificate } from "./certificate.ts";
import type { CertificateSource } from "./certificate-source.ts";
import { backdateMs, createKey, type HubCa, openHubCa } from "./hub-ca.ts";
import { closeToOthers, loadPemFileIfThere, writePemFile } from "./pem-file.ts";
import { parseServerName } from "./san.ts";
import { parseServerIdentity, type ServerIdentity } from "./server-identity.ts";

const dayMs = 86_400_000;

/** 90 days: below the 398 days that browsers accept, and long enough for a hub that was off for a month. */
const leafLifetimeMs = 90 * dayMs;

/** Renewed when a third of the lifetime is left, so that renewal may fail for a month. */
const renewBeforeMs = 30 * dayMs;

/** 1 hour: far below the 30 days left for renewal. */
const refreshEveryMs = 3_600_000;

/** Names that a hub's own certificate always contains, for clients on its own machine. */
const loopbackNames: readonly string[] = ["localhost", "127.0.0.1", "::1"];

/** The folder of the hub's CA and leaf, and its names besides the loopback ones. */
export interface OwnCertificateOptions {
  readonly folder: string;
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A certificate signed by the hub's own CA. Both are created in `folder` at first start: `ca.crt` (give it to clients),
 * `ca.key`, `server.crt`, `server.key`. The leaf is reissued with a new key when a third of its lifetime is left, when
 * the names change, or when its files are damaged. Clients pin the CA, so a new leaf does not affect them.
 */
export async function openOwnCertificate(options: OwnCertificateOptions): Promise<CertificateSource> {
  const authority = await openHubCa(options);
  const names = [...new Set([...options.names, ...loopbackNames].map(parseServerName))];
  const stored = await loadLeaf(options, authority, names);
  return new OwnCertificate({ ...options, names }, authority, stored ?? (await issueLeaf(options, authority, names)));
}

class OwnCertificate implements CertificateSource {
  readonly caFile: string;
  readonly refreshEveryMs = refreshEveryMs;
  readonly #options: OwnCertificateOptions;
  readonly #authority: HubCa;
  #current: ServerIdentity;

  constructor(options: OwnCertificateOptions, authority: HubCa, current: ServerIdentity) {
    this.caFile = authority.caFile;
    this.#options = options;
    this.#authority = authority;
    this.#current = current;
  }

  get current(): ServerIdentity {
    return this.#current;
  }

  async refresh(): Promise<ServerIdentity | undefined> {
    if (!isRenewalDue(this.#current, this.#authority, this.#options.clock.wallMs())) return undefined;
    try {
      this.#current = await issueLeaf(this.#options, this.#authority, this.#options.names);
      return this.#current;
    } catch (reason) {
      this.#options.log.error("certificate could not be renewed; the previous one stays in use", {}, reason);
      return undefined;
    }
  }
}

/** A leaf that expires with its CA is not renewed: a new one could not be valid for longer. */
function isRenewalDue(identity: ServerIdentity, authority: HubCa, wallMs: number): boolean {
  const endsMs = identity.leaf.validToDate.getTime();
  return endsMs - wallMs < renewBeforeMs && endsMs < authority.validity.notAfterMs;
}

function leafFiles(folder: string): { readonly certificateFile: string; readonly keyFile: string } {
  return { certificateFile: join(folder, "server.crt"), keyFile: join(folder, "server.key") };
}

/** The stored leaf if it is usable. A damaged leaf is logged and reissued, because it can be created again. */
async function loadLeaf(
  options: OwnCertificateOptions,
  authority: HubCa,
  names: readonly string[],
): Promise<ServerIdentity | undefined> {
  const files = leafFiles(options.folder);
  try {
    const certificatePem = await loadPemFileIfThere(files.certificateFile);
    const keyPem = await loadPemFileIfThere(files.keyFile);
    if (certificatePem === undefined || keyPem === undefined) return undefined;
    await closeToOthers(files.keyFile);
    const wallMs = options.clock.wallMs();
    const identity = parseServerIdentity({ ...files, certificatePem, keyPem }, wallMs);
    const isOurs = identity.leaf.verify(createPublicKey(authority.issuer.privateKey));
    const isUsable = isOurs && hasNames(identity, names) && !isRenewalDue(identity, authority, wallMs);
    return isUsable ? identity : undefined;
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    options.log.warn("stored server certificate is replaced", { file: files.certificateFile }, reason);
    return undefined;
  }
}

/** True if the leaf contains exactly these names. An additional name is one that the operator removed. */
function hasNames(identity: ServerIdentity, names: readonly string[]): boolean {
  const held = (identity.leaf.subjectAltName ?? "").split(", ").map((entry) => entry.replace(/^(DNS|IP Address):/, ""));
  return held.length === names.length && held.every((name) => names.includes(parseServerName(name)));
}

async function issueLeaf(
  options: OwnCertificateOptions,
  authority: HubCa,
  names: readonly string[],
): Promise<ServerIdentity> {
  const files = leafFiles(options.folder);
  const wallMs = options.clock.wallMs();
  const privateKey = await createKey(files.keyFile);
  const validity = {
    notBeforeMs: Math.max(wallMs - backdateMs, authority.validity.notBeforeMs),
    notAfterMs: Math.min(wallMs + leafLifetimeMs, authority.validity.notAfterMs),
  };
  const leafPem = createServerCertificate(authority.issuer, {
    names,
    publicKey: createPublicKey(privateKey),
    validity,
  });
  // The chain includes the CA, so that a client that pins its fingerprint instead of the file can find it.
  const certificatePem = leafPem + authority.caPem;
  await writePemFile(files.certificateFile, certificatePem, 0o644);
  options.log.info("server certificate issued", {
    names: names.join(","),
    validTo: new Date(validity.notAfterMs).toISOString(),
  });
  const keyPem = privateKey.export({ type: "pkcs8", format: "pem" });
  return parseServerIdentity({ ...files, certificatePem, keyPem }, wallMs);
}
