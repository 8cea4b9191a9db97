// SPDX-License-Identifier: Apache-2.0
import type { LookupFunction } from "node:net";
import { systemClock } from "../../../base/time/system-clock.ts";
import { anonymousUser, type ClusterAccess } from "../../credentials/cluster-access.ts";
import type { KubeAnswer, KubeRequest, KubeSource } from "../../kube-source.ts";
import { KubeConnection, type KubeConnectionOptions } from "../kube-connection.ts";
import { testAuthority } from "./test-server.ts";

/** Long enough that only a test that advances a manual clock reaches it. */
export const longMs = 30_000;

/** Access to a server of the test's CA, as an anonymous user. */
export function testAccess(url: string, changes: Partial<ClusterAccess> = {}): ClusterAccess {
  return {
    name: "test",
    server: new URL(url),
    tlsServerName: undefined,
    insecureSkipTlsVerify: false,
    certificateAuthority: { kind: "inline", text: testAuthority.ca },
    proxyUrl: undefined,
    disableCompression: false,
    namespace: undefined,
    user: anonymousUser,
    isRestricted: false,
    ...changes,
  };
}

/** A connection that closes when disposed. */
export function openTestConnection(
  access: ClusterAccess,
  changes: Partial<KubeConnectionOptions> = {},
): KubeConnection & AsyncDisposable {
  const connection = new KubeConnection({
    access,
    clock: systemClock,
    userAgent: "flotilla-agent/test",
    connectTimeoutMs: longMs,
    pingIntervalMs: longMs,
    pingTimeoutMs: longMs,
    environment: {},
    ...changes,
  });
  return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.close() });
}

/** For calls that the test does not end. */
export const neverAborted: AbortSignal = new AbortController().signal;

/** A GET with a deadline that no test meets by accident. */
export function get(path: string, changes: Partial<KubeRequest> = {}): KubeRequest {
  return { method: "GET", path, deadlineMs: longMs, ...changes };
}

/** The whole body as text. */
export async function readText(answer: KubeAnswer): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of answer.body) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

/** Asks and reads the whole body. */
export async function ask(source: KubeSource, path: string, changes: Partial<KubeRequest> = {}): Promise<string> {
  return await readText(await source.request(get(path, changes), neverAborted));
}

/** What the promise was rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error("it was expected to fail");
}

/** A lookup that knows these names alone. */
export function lookupOf(names: Readonly<Record<string, readonly string[]>>): LookupFunction {
  return (hostname, options, callback) => {
    const addresses = new Map(Object.entries(names)).get(hostname);
    const [first] = addresses ?? [];
    if (addresses === undefined || first === undefined) {
      callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND", hostname }), "");
    } else if (options.all === true) {
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    } else {
      callback(null, first, first.includes(":") ? 6 : 4);
    }
  };
}
