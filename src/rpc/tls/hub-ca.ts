// SPDX-License-Identifier: Apache-2.0
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { createCaCertificate, type Issuer, keyIdentifier, type Validity } from "./certificate.ts";
import { closeToOthers, loadPemFileIfThere, writePemFile } from "./pem-file.ts";
import { certificateInvalid, parseCertificate, parsePrivateKey } from "./server-identity.ts";

const dayMs = 86_400_000;

/** 10 years: agents pin this certificate, and replacing it means reconfiguring every agent. */
const caLifetimeMs = 3_650 * dayMs;

/** Half a year: time to give every agent a new CA before the old one expires. */
const warnBeforeMs = 180 * dayMs;

/** 1 hour: a client whose clock is up to one hour behind accepts a certificate that was just issued. */
export const backdateMs = 3_600_000;

/** The CA of one hub, which signs its server certificates. */
export interface HubCa {
  readonly caFile: string;
  readonly caPem: string;
  readonly issuer: Issuer;
  readonly validity: Validity;
}

/**
 * Opens the CA in `folder` (`ca.crt`, `ca.key`), and creates it if neither file exists. The key is written first: after
 * a crash between the two writes the certificate is created from the same key, so clients that pin either trust both.
 * An unusable CA is never replaced silently, because agents pin it; it throws CERTIFICATE_INVALID.
 */
export async function openHubCa(options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<HubCa> {
  const { folder, clock, log } = options;
  const caFile = join(folder, "ca.crt");
  const keyFile = join(folder, "ca.key");
  await makeFolder(folder);
  const storedPem = await loadPemFileIfThere(caFile);
  const storedKey = await loadPemFileIfThere(keyFile);
  if (storedKey === undefined && storedPem !== undefined) {
    throw certificateInvalid(
      `${keyFile} is missing but ${caFile} exists; restore it from a backup, or remove ${caFile} to create a new CA, which every agent then needs`,
    );
  }
  const privateKey = storedKey === undefined ? await createKey(keyFile) : parsePrivateKey(storedKey, keyFile);
  if (storedKey !== undefined && (await closeToOthers(keyFile))) {
    log.warn("key file was readable by others; its mode is 0600 now", { file: keyFile });
  }
  const caPem = storedPem ?? (await createCa(caFile, privateKey, clock));
  const authority = checkAuthority({ caFile, keyFile, caPem, privateKey, wallMs: clock.wallMs() });
  if (authority.validity.notAfterMs - clock.wallMs() < warnBeforeMs) {
    log.warn("the hub's CA expires soon", {
      file: caFile,
      validTo: new Date(authority.validity.notAfterMs).toISOString(),
    });
  }
  return authority;
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (reason) {
    throw certificateInvalid(`the folder ${folder} for the hub's own CA cannot be created`, reason);
  }
}

/** Creates a P-256 key and writes it to `file` with mode 0600. */
export async function createKey(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writePemFile(file, privateKey.export({ type: "pkcs8", format: "pem" }), 0o600);
  return privateKey;
}

async function createCa(caFile: string, privateKey: KeyObject, clock: Clock): Promise<string> {
  // The name contains part of the key's id, so that the CAs of two hubs in one trust store have different names.
  const id = Buffer.from(keyIdentifier(createPublicKey(privateKey))).toString("hex");
  const notBeforeMs = clock.wallMs() - backdateMs;
  const validity = { notBeforeMs, notAfterMs: notBeforeMs + caLifetimeMs };
  const pem = createCaCertificate({ commonName: `Flotilla CA ${id.slice(0, 8)}`, privateKey }, validity);
  await writePemFile(caFile, pem, 0o644);
  return pem;
}

function checkAuthority(stored: {
  readonly caFile: string;
  readonly keyFile: string;
  readonly caPem: string;
  readonly privateKey: KeyObject;
  readonly wallMs: number;
}): HubCa {
  const { caFile, keyFile, caPem, privateKey, wallMs } = stored;
  const ca = parseCertificate(caPem, caFile);
  const commonName = /^CN=(.+)$/m.exec(ca.subject)?.[1];
  if (!ca.ca || commonName === undefined)
    throw certificateInvalid(`${caFile} does not contain a CA created by Flotilla`);
  if (!ca.checkPrivateKey(privateKey)) throw certificateInvalid(`${keyFile} is not the key of the CA in ${caFile}`);
  if (ca.validToDate.getTime() <= wallMs) {
    throw certificateInvalid(
      `the CA in ${caFile} expired at ${ca.validToDate.toISOString()}; remove it and ${keyFile} to create a new one, which every agent then needs`,
    );
  }
  return {
    caFile,
    caPem,
    issuer: { commonName, privateKey },
    validity: { notBeforeMs: ca.validFromDate.getTime(), notAfterMs: ca.validToDate.getTime() },
  };
}
