// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from "node:crypto";
import { readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { createRecordingLogger } from "../testing/recorder.ts";
import { openScratchFolder, type ScratchFolder } from "../testing/scratch.ts";
import { createCaCertificate } from "./certificate.ts";
import { openCertificateFiles } from "./certificate-files.ts";

const jan2026 = Date.UTC(2026, 0, 1);

function makePem(notAfterMs = Date.UTC(2027, 0, 1)): { certificate: string; key: string } {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const validity = { notBeforeMs: Date.UTC(2025, 0, 1), notAfterMs };
  return {
    certificate: createCaCertificate({ commonName: "given", privateKey }, validity),
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

async function write(
  scratch: ScratchFolder,
  { certificate, key }: { certificate: string; key: string },
): Promise<void> {
  await writeFile(scratch.file("tls.crt"), certificate);
  await writeFile(scratch.file("tls.key"), key);
}

function openIn(scratch: ScratchFolder, log = createRecordingLogger()) {
  const clock = new ManualClock({ wallStartMs: jan2026 });
  return openCertificateFiles({
    certificateFile: scratch.file("tls.crt"),
    keyFile: scratch.file("tls.key"),
    clock,
    log,
  });
}

describe("[RP15][RP17] at start", () => {
  test("a usable pair is taken as it is", async () => {
    await using scratch = await openScratchFolder();
    const pem = makePem();
    await write(scratch, pem);
    expect((await openIn(scratch)).current).toMatchObject({ certificatePem: pem.certificate, keyPem: pem.key });
  });

  test.each<[string, (scratch: ScratchFolder) => Promise<void>, RegExp]>([
    ["no certificate file", (s) => rm(s.file("tls.crt")), /tls\.crt does not exist$/],
    ["no key file", (s) => rm(s.file("tls.key")), /tls\.key does not exist$/],
    [
      "a folder in place of the file",
      async (s) => {
        await rm(s.file("tls.crt"));
        await symlink(".", s.file("tls.crt"));
      },
      /tls\.crt cannot be read \(EISDIR\)$/,
    ],
    [
      "garbage for a certificate",
      (s) => writeFile(s.file("tls.crt"), "\0\0"),
      /tls\.crt does not contain a PEM certificate$/,
    ],
    [
      "garbage for a key",
      (s) => writeFile(s.file("tls.key"), "nothing"),
      /tls\.key does not contain a PEM private key/,
    ],
    [
      "another pair's key",
      (s) => writeFile(s.file("tls.key"), makePem().key),
      /tls\.key is not the key of the certificate in .*tls\.crt$/,
    ],
    ["an expired certificate", (s) => write(s, makePem(Date.UTC(2025, 6, 1))), /tls\.crt expired at 2025-07-01/],
    ["a huge file", (s) => writeFile(s.file("tls.crt"), Buffer.alloc(2_000_000)), /tls\.crt is too large/],
  ])("%s is CERTIFICATE_INVALID with one sentence naming file and problem", async (_name, spoil, message) => {
    await using scratch = await openScratchFolder();
    await write(scratch, makePem());
    await spoil(scratch);
    const failed = openIn(scratch);
    await expect(failed).rejects.toMatchObject({ code: "CERTIFICATE_INVALID" });
    await expect(failed).rejects.toThrow(message);
  });
});

describe("[RP16] on change", () => {
  test("nothing happens while the files stay", async () => {
    await using scratch = await openScratchFolder();
    await write(scratch, makePem());
    expect(await (await openIn(scratch)).refresh()).toBeUndefined();
  });

  test("a new pair comes into force", async () => {
    await using scratch = await openScratchFolder();
    await write(scratch, makePem());
    const source = await openIn(scratch);
    const pem = makePem();
    await write(scratch, pem);
    expect(await source.refresh()).toMatchObject({ keyPem: pem.key });
    expect(source.current.keyPem).toBe(pem.key);
  });

  test("a new pair counts though neither the time nor the size of the files differs", async () => {
    await using scratch = await openScratchFolder();
    const [first, second] = [makePem(), makePem()];
    const longest = Math.max(first.certificate.length, second.certificate.length);
    const sized = (pem: typeof first) => ({ ...pem, certificate: pem.certificate.padEnd(longest, "\n") });
    const writeAt = async (pem: typeof first): Promise<void> => {
      await write(scratch, sized(pem));
      for (const name of ["tls.crt", "tls.key"]) await utimes(scratch.file(name), 1, 1);
    };
    await writeAt(first);
    const source = await openIn(scratch);
    await writeAt(second);
    expect(await source.refresh()).toMatchObject({ keyPem: second.key });
  });

  test("a link that is swapped, as Kubernetes does with Secrets, counts as a change", async () => {
    await using scratch = await openScratchFolder();
    await write(scratch, makePem());
    await rename(scratch.file("tls.crt"), scratch.file("old.crt"));
    await symlink("old.crt", scratch.file("tls.crt"));
    const source = await openIn(scratch);
    await writeFile(scratch.file("new.crt"), `${await readFile(scratch.file("old.crt"), "utf8")}\n`);
    await rm(scratch.file("tls.crt"));
    await symlink("new.crt", scratch.file("tls.crt"));
    expect(await source.refresh()).toBeDefined();
  });

  test("a pair that cannot be used leaves the old one in force, is reported once, and is taken when it is whole", async () => {
    await using scratch = await openScratchFolder();
    const log = createRecordingLogger();
    const first = makePem();
    await write(scratch, first);
    const source = await openIn(scratch, log);
    const second = makePem();
    await writeFile(scratch.file("tls.crt"), second.certificate); // the key follows later
    expect(await source.refresh()).toBeUndefined();
    expect(await source.refresh()).toBeUndefined();
    expect(source.current.keyPem).toBe(first.key);
    const warnings = log.lines.filter(({ level }) => level === "warn");
    expect(warnings).toHaveLength(1);
    expect(String(warnings[0]?.error)).toContain("is not the key of the certificate");
    await writeFile(scratch.file("tls.key"), second.key);
    expect(await source.refresh()).toMatchObject({ keyPem: second.key });
  });

  test("files that vanish leave the old pair in force", async () => {
    await using scratch = await openScratchFolder();
    await write(scratch, makePem());
    const source = await openIn(scratch);
    await rm(scratch.file("tls.crt"));
    expect(await source.refresh()).toBeUndefined();
    expect(source.current.leaf.subject).toBe("CN=given");
  });
});
