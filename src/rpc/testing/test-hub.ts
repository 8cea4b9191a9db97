// SPDX-License-Identifier: Apache-2.0
// An endpoint on loopback ports with its own CA, for integration tests.

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert } from "../../base/assert.ts";
import { createSeededRandom } from "../../base/random.ts";
import { systemClock } from "../../base/time/system-clock.ts";
import type { TokenRefusal, TokenVerifier, VerifiedToken } from "../auth/authenticate.ts";
import { createHubTransport, type HubTransport } from "../client/client.ts";
import { type Endpoint, type EndpointOptions, openEndpoint } from "../server/endpoint.ts";
import { openOwnCertificate } from "../tls/hub-certificate.ts";
import {
  createRecordingLogger,
  createRecordingMetrics,
  type RecordingLogger,
  type RecordingMetrics,
} from "./recorder.ts";

/** Tokens for tests: the text of a token is also its user's name. */
export class TestTokens implements TokenVerifier {
  readonly #ended = new Map<string, AbortController>();
  #refusals = new Map<string, TokenRefusal["reason"]>();

  add(token: string): string {
    this.#ended.set(token, new AbortController());
    return token;
  }

  revoke(token: string): void {
    this.#refusals.set(token, "revoked");
    this.#ended.get(token)?.abort(new Error("revoked"));
  }

  expire(token: string): void {
    this.#refusals.set(token, "expired");
    this.#ended.get(token)?.abort(new Error("expired"));
  }

  verify(token: string): VerifiedToken | TokenRefusal {
    const refusal = this.#refusals.get(token);
    if (refusal !== undefined) return { kind: "refused", reason: refusal };
    const ended = this.#ended.get(token);
    if (ended === undefined) return { kind: "refused", reason: "unknown" };
    return {
      kind: "verified",
      tokenId: `tok_${token}`,
      subject: { user: token, groups: ["testers"] },
      ended: ended.signal,
    };
  }
}

export interface TestHub extends AsyncDisposable {
  readonly endpoint: Endpoint;
  readonly url: string;
  readonly plainUrl: string;
  readonly ca: string;
  readonly caFile: string;
  readonly folder: string;
  readonly tokens: TestTokens;
  readonly log: RecordingLogger;
  readonly metrics: RecordingMetrics;
  /** A transport over TLS and HTTP/2, closed with the hub. */
  transport(token?: string): HubTransport;
}

/**
 * Opens both listeners on free ports. User `root` may do everything, all others nothing, unless an authorizer is given.
 */
export async function openTestHub(options: Partial<EndpointOptions> = {}): Promise<TestHub> {
  const folder = await mkdtemp(join(tmpdir(), "flotilla-rpc-"));
  const log = createRecordingLogger();
  const metrics = createRecordingMetrics();
  const tokens = new TestTokens();
  tokens.add("root");
  tokens.add("nobody");
  const random = createSeededRandom("test hub");
  const certificate = await openOwnCertificate({ folder, names: [], clock: systemClock, log });
  const endpoint = await openEndpoint({
    tls: { host: "127.0.0.1", port: 0, portOption: "--port", certificate },
    plain: { host: "127.0.0.1", port: 0, portOption: "--http-port" },
    services: [],
    routes: [],
    hostNames: [],
    origins: [],
    verifier: tokens,
    authorizer: { isAllowed: ({ user }) => user === "root" },
    clock: systemClock,
    random,
    log,
    metrics,
    ...options,
  }).catch(async (reason: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw reason;
  });
  const { caFile } = certificate;
  assert(caFile !== undefined, "the hub's own certificate has a CA file");
  const ca = readFileSync(caFile, "utf8");
  const transports: HubTransport[] = [];
  return {
    endpoint,
    url: endpoint.tls?.url ?? "",
    plainUrl: endpoint.plain?.url ?? "",
    ca,
    caFile,
    folder,
    tokens,
    log,
    metrics,
    transport(token) {
      const url = endpoint.tls?.url ?? "";
      const transport = createHubTransport({
        url,
        ca,
        clock: systemClock,
        random,
        ...(token === undefined ? {} : { token }),
      });
      transports.push(transport);
      return transport;
    },
    async [Symbol.asyncDispose]() {
      for (const transport of transports) transport.close();
      await endpoint.drain(0);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
