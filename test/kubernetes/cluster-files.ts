// SPDX-License-Identifier: Apache-2.0
// The files that a cluster's programs read: keys, certificates, tokens, kubeconfig. All of it is made for one cluster
// and thrown away.
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemRandom } from "../../src/base/system-random.ts";
import { createCaCertificate, createServerCertificate } from "../../src/rpc/tls/certificate.ts";

/**
 * Somebody who can log in. RBAC decides what the user may do, except for members of `system:masters`, who may do
 * everything.
 */
export interface ClusterUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** A user together with the token that logs in. */
export interface TokenUser extends ClusterUser {
  readonly token: string;
}

/** The user that every cluster has, allowed everything. */
export const adminUser: ClusterUser = { name: "admin", groups: ["system:masters"] };

/** What was written and where. */
export interface ClusterFiles {
  readonly folder: string;
  readonly users: readonly TokenUser[];
  readonly ca: string;
  readonly caFile: string;
  readonly certificateFile: string;
  readonly certificateKeyFile: string;
  /** What signs the tokens of service accounts. */
  readonly accountKeyFile: string;
  /** What checks them; the server does not take the private key for it. */
  readonly accountPublicKeyFile: string;
  readonly tokenFile: string;
  readonly kubeconfigFile: string;
}

/** Long enough for any test, short enough that a forgotten certificate is worth nothing. */
const validForMs = 24 * 3_600_000;

function createKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** PEM in the form that Go's x509 package reads for every kind of key. */
function keyText(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" });
}

/** One line of a token file, which is CSV: token, user, uid, groups. */
function tokenLine({ token, name, groups = [] }: TokenUser): string {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  return [token, quoted(name), quoted(`uid-${name}`), quoted(groups.join(","))].join(",");
}

/**
 * A kubeconfig with a context for each user, named as the user; the first is the current one. JSON is YAML, so kubectl
 * reads it.
 */
function kubeconfigText(url: string, ca: string, users: readonly TokenUser[]): string {
  const cluster = { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "kit", cluster }],
    users: users.map(({ name, token }) => ({ name, user: { token } })),
    contexts: users.map(({ name }) => ({ name, context: { cluster: "kit", user: name } })),
    "current-context": users[0]?.name ?? "",
  });
}

/** Writes everything for a server at that loopback port into `folder`. The admin is the first user. */
export function writeClusterFiles(
  folder: string,
  port: number,
  others: readonly ClusterUser[],
  nowMs: number,
): ClusterFiles {
  const url = `https://127.0.0.1:${port}`;
  const users = [adminUser, ...others].map((user) => ({
    ...user,
    token: Buffer.from(systemRandom.bytes(16)).toString("hex"),
  }));
  const validity = { notBeforeMs: nowMs - 3_600_000, notAfterMs: nowMs + validForMs };
  const issuer = { commonName: "Kubernetes kit", privateKey: createKey() };
  const ca = createCaCertificate(issuer, validity);
  const serverKey = createKey();
  const accountKey = createKey();
  const names = ["127.0.0.1", "localhost"];
  const certificate = createServerCertificate(issuer, { names, publicKey: createPublicKey(serverKey), validity });
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return {
    folder,
    users,
    ca,
    caFile: write("ca.crt", ca),
    certificateFile: write("server.crt", certificate),
    certificateKeyFile: write("server.key", keyText(serverKey)),
    accountKeyFile: write("accounts.key", keyText(accountKey)),
    accountPublicKeyFile: write("accounts.pub", createPublicKey(accountKey).export({ type: "spki", format: "pem" })),
    tokenFile: write("tokens.csv", `${users.map(tokenLine).join("\n")}\n`),
    kubeconfigFile: write("kubeconfig", kubeconfigText(url, ca, users)),
  };
}
