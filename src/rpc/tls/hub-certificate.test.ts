// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from "node:crypto";
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { createRecordingLogger } from "../testing/recorder.ts";
import { openScratchFolder, type ScratchFolder } from "../testing/scratch.ts";
import { openOwnCertificate } from "./hub-certificate.ts";

const dayMs = 86_400_000;

const log = createRecordingLogger();

function openIn(scratch: ScratchFolder, clock = new ManualClock(), names: readonly string[] = ["hub.example"]) {
  return openOwnCertificate({ folder: scratch.file("tls"), names, clock, log });
}

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

test("[RP12] the first start makes a CA and a leaf; keys are for the owner only", async () => {
  await using scratch = await openScratchFolder();
  const source = await openIn(scratch);
  expect((await readdir(scratch.file("tls"))).sort()).toEqual(["ca.crt", "ca.key", "server.crt", "server.key"]);
  expect(await modeOf(scratch.file("tls"))).toBe(0o700);
  expect(await modeOf(scratch.file("tls/ca.key"))).toBe(0o600);
  expect(await modeOf(scratch.file("tls/server.key"))).toBe(0o600);
  expect(source.caFile).toBe(scratch.file("tls/ca.crt"));
  const ca = new X509Certificate(await readFile(scratch.file("tls/ca.crt")));
  expect(source.current.leaf.checkIssued(ca) && source.current.leaf.verify(ca.publicKey)).toBe(true);
  for (const name of ["hub.example", "localhost"]) expect(source.current.leaf.checkHost(name)).toBeDefined();
  for (const address of ["127.0.0.1", "::1"]) expect(source.current.leaf.checkIP(address)).toBeDefined();
});

test("[RP12][L5] the next start changes no file", async () => {
  await using scratch = await openScratchFolder();
  await openIn(scratch);
  const before = await Promise.all(
    ["ca.crt", "ca.key", "server.crt", "server.key"].map((name) => readFile(scratch.file(`tls/${name}`), "utf8")),
  );
  await openIn(scratch, new ManualClock({ wallStartMs: Date.UTC(2026, 1, 1) }));
  const after = await Promise.all(
    ["ca.crt", "ca.key", "server.crt", "server.key"].map((name) => readFile(scratch.file(`tls/${name}`), "utf8")),
  );
  expect(after).toEqual(before);
});

test("[RP14] a running hub renews its leaf when a third of its life is left, under the same CA", async () => {
  await using scratch = await openScratchFolder();
  const clock = new ManualClock();
  const source = await openIn(scratch, clock);
  const first = source.current;
  await clock.advance(59 * dayMs);
  expect(await source.refresh()).toBeUndefined();
  await clock.advance(2 * dayMs);
  const renewed = await source.refresh();
  expect(renewed).toBe(source.current);
  expect(source.current.leaf.serialNumber).not.toBe(first.leaf.serialNumber);
  expect(source.current.keyPem).not.toBe(first.keyPem);
  expect(source.current.leaf.validToDate.getTime()).toBe(clock.wallMs() + 90 * dayMs);
  const ca = new X509Certificate(await readFile(scratch.file("tls/ca.crt")));
  expect(source.current.leaf.verify(ca.publicKey)).toBe(true);
  expect(await source.refresh()).toBeUndefined();
});

test("[RP14] a hub that was off while its leaf expired makes a new one at start", async () => {
  await using scratch = await openScratchFolder();
  const first = await openIn(scratch);
  const later = await openIn(scratch, new ManualClock({ wallStartMs: Date.UTC(2027, 0, 1) }));
  expect(later.current.leaf.serialNumber).not.toBe(first.current.leaf.serialNumber);
});

test("[RP13] names that change, either way, make a new leaf under the same CA", async () => {
  await using scratch = await openScratchFolder();
  await openIn(scratch);
  const other = await openIn(scratch, new ManualClock(), ["other.example"]);
  expect(other.current.leaf.checkHost("other.example")).toBeDefined();
  expect(other.current.leaf.checkHost("hub.example")).toBeUndefined();
  const ca = new X509Certificate(await readFile(scratch.file("tls/ca.crt")));
  expect(other.current.leaf.verify(ca.publicKey)).toBe(true);
});

test("[RP13] a damaged or mismatched leaf is replaced, because it is rebuildable", async () => {
  await using scratch = await openScratchFolder();
  const first = await openIn(scratch);
  for (const [file, text] of [
    ["server.crt", "garbage"],
    ["server.key", await readFile(scratch.file("tls/ca.key"), "utf8")],
  ] as const) {
    await writeFile(scratch.file(`tls/${file}`), text);
    const source = await openIn(scratch);
    expect(source.current.leaf.serialNumber).not.toBe(first.current.leaf.serialNumber);
  }
});

test("[RP12] a crash between CA key and CA certificate heals at the next start with the same key", async () => {
  await using scratch = await openScratchFolder();
  const first = await openIn(scratch);
  const oldCa = new X509Certificate(await readFile(scratch.file("tls/ca.crt")));
  await rm(scratch.file("tls/ca.crt"));
  const next = await openIn(scratch, new ManualClock({ wallStartMs: Date.UTC(2026, 0, 2) }));
  const newCa = new X509Certificate(await readFile(scratch.file("tls/ca.crt")));
  expect(newCa.subject).toBe(oldCa.subject);
  expect(next.current.leaf.verify(oldCa.publicKey)).toBe(true);
  expect(next.current.leaf.serialNumber).toBe(first.current.leaf.serialNumber);
});

test.each([
  ["ca.crt", "garbage", "ca.crt does not contain a PEM certificate"],
  ["ca.key", "garbage", "ca.key does not contain a PEM private key"],
  ["ca.key", undefined, "ca.key is missing but"],
])("[RP12] a CA whose %s is %s is never replaced silently", async (file, text, message) => {
  await using scratch = await openScratchFolder();
  await openIn(scratch);
  if (text === undefined) await rm(scratch.file(`tls/${file}`));
  else await writeFile(scratch.file(`tls/${file}`), text);
  const failed = openIn(scratch);
  await expect(failed).rejects.toMatchObject({ code: "CERTIFICATE_INVALID" });
  await expect(failed).rejects.toThrow(message);
});

test("[RP12] an expired CA is refused with what to do", async () => {
  await using scratch = await openScratchFolder();
  await openIn(scratch);
  const failed = openIn(scratch, new ManualClock({ wallStartMs: Date.UTC(2040, 0, 1) }));
  await expect(failed).rejects.toThrow(/the CA in .*ca\.crt expired at 20\d\d-.*remove it and .*ca\.key/);
});

test("[RP12] a CA in its last half year is warned about, and its leaves end with it", async () => {
  await using scratch = await openScratchFolder();
  await openIn(scratch);
  const clock = new ManualClock({ wallStartMs: Date.UTC(2035, 10, 15) });
  const source = await openIn(scratch, clock);
  expect(log.lines.map(({ message }) => message)).toContain("the hub's CA expires soon");
  const ca = new X509Certificate(await readFile(scratch.file("tls/ca.crt")));
  expect(source.current.leaf.validToDate).toEqual(ca.validToDate);
  expect(await source.refresh()).toBeUndefined();
});

test("[RP12] a CA key that others can read is closed to them", async () => {
  await using scratch = await openScratchFolder();
  await openIn(scratch);
  await chmod(scratch.file("tls/ca.key"), 0o644);
  await openIn(scratch);
  expect(await modeOf(scratch.file("tls/ca.key"))).toBe(0o600);
});

test("[RP12] a folder that cannot be made is one sentence", async () => {
  await using scratch = await openScratchFolder();
  await writeFile(scratch.file("tls"), "a file is in the way");
  await expect(openIn(scratch)).rejects.toMatchObject({ code: "CERTIFICATE_INVALID" });
});
