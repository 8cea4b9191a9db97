// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { advanceUntil } from "../../src/rpc/testing/advance.ts";
import { openScratchFolder, type ScratchFolder } from "../../src/rpc/testing/scratch.ts";
import { openTestHub } from "../../src/rpc/testing/test-hub.ts";
import { createCaCertificate } from "../../src/rpc/tls/certificate.ts";
import { openCertificateFiles } from "../../src/rpc/tls/certificate-files.ts";
import { openOwnCertificate } from "../../src/rpc/tls/hub-certificate.ts";

interface Handshake {
  readonly authorized: boolean;
  readonly failure: string | undefined;
  readonly serial: string;
  readonly protocol: string | null;
}

/** One TLS handshake with the hub, as a client that trusts `ca` and expects `servername`. */
function shakeHands(
  url: string,
  options: { ca: string; servername?: string; maxVersion?: "TLSv1.1" | "TLSv1.2" },
): Promise<Handshake> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect(
      { host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ["h2"], ...options },
      () => {
        const { authorized, authorizationError } = socket;
        const serial = socket.getPeerX509Certificate()?.serialNumber ?? "";
        const protocol = socket.getProtocol();
        socket.destroy();
        resolve({
          authorized,
          failure: authorizationError === null ? undefined : String(authorizationError),
          serial,
          protocol,
        });
      },
    );
    socket.on("error", reject);
  });
}

const certificateOptions = (host: string, certificate: Awaited<ReturnType<typeof openOwnCertificate>>) => ({
  tls: { host, port: 0, portOption: "--port", certificate },
});

describe("[RP12] the hub's own CA", () => {
  test("is all a client needs to trust it, by name and by address; a stranger's CA does not do", async () => {
    await using hub = await openTestHub();
    const address = await shakeHands(hub.url, { ca: hub.ca });
    expect(address).toMatchObject({ authorized: true, protocol: "TLSv1.3" });
    expect(await shakeHands(hub.url, { ca: hub.ca, servername: "localhost" })).toMatchObject({ authorized: true });
    await using other = await openTestHub();
    expect(await shakeHands(hub.url, { ca: other.ca })).toMatchObject({ authorized: false });
    expect(await shakeHands(hub.url, { ca: hub.ca, servername: "hub.example" })).toMatchObject({ authorized: false });
  });

  test("[RP1] TLS below 1.2 is refused", async () => {
    await using hub = await openTestHub();
    await expect(shakeHands(hub.url, { ca: hub.ca, maxVersion: "TLSv1.1" })).rejects.toThrow(/TLS|SSL|protocol/i);
    expect(await shakeHands(hub.url, { ca: hub.ca, maxVersion: "TLSv1.2" })).toMatchObject({ protocol: "TLSv1.2" });
  });

  test("[RP14] renews the leaf of a running listener, and clients notice nothing", async () => {
    await using scratch = await openScratchFolder();
    // Begins in the past, so that a leaf made 60 days later is valid for this test's client too.
    const clock = new ManualClock({ wallStartMs: Date.now() - 80 * 86_400_000 });
    const certificate = await openOwnCertificate({ folder: scratch.file("tls"), names: [], clock, log: silentLogger });
    await using hub = await openTestHub({ clock, ...certificateOptions("127.0.0.1", certificate) });
    const ca = await readFile(scratch.file("tls/ca.crt"), "utf8");
    const before = await shakeHands(hub.url, { ca });
    const first = certificate.current;
    const renewed = (async () => {
      while (certificate.current === first) await new Promise((resolve) => setImmediate(resolve));
    })();
    await advanceUntil(clock, renewed, 24 * 3_600_000);
    const after = await shakeHands(hub.url, { ca });
    expect(after).toMatchObject({ authorized: true });
    expect(after.serial).not.toBe(before.serial);
  });
});

describe("[RP16] given certificate files", () => {
  async function writePair(scratch: ScratchFolder): Promise<string> {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const validity = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 86_400_000 };
    const pem = createCaCertificate({ commonName: "given", privateKey }, validity);
    await writeFile(scratch.file("tls.crt"), pem);
    await writeFile(scratch.file("tls.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
    return pem;
  }

  test("are served again when they change; a broken pair leaves the old one in force", async () => {
    await using scratch = await openScratchFolder();
    const clock = new ManualClock({ wallStartMs: Date.now() });
    await writePair(scratch);
    await using hub = await openTestHub({ clock });
    const { log } = hub;
    const certificate = await openCertificateFiles({
      certificateFile: scratch.file("tls.crt"),
      keyFile: scratch.file("tls.key"),
      clock,
      log,
    });
    await using given = await openTestHub({ clock, ...certificateOptions("127.0.0.1", certificate) });
    const before = await shakeHands(given.url, { ca: "" });
    await writeFile(scratch.file("tls.crt"), "broken");
    await advanceUntil(
      clock,
      log.next(({ level, message }) => level === "warn" && message.includes("stay in use")),
    );
    expect((await shakeHands(given.url, { ca: "" })).serial).toBe(before.serial);
    await writePair(scratch);
    await advanceUntil(
      clock,
      log.next(({ message }) => message === "certificate reloaded"),
    );
    expect((await shakeHands(given.url, { ca: "" })).serial).not.toBe(before.serial);
  });
});
