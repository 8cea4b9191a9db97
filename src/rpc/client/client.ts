// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { isBearerToken } from "../../model/bearer-token.ts";
import { idPrefixes } from "../../model/names.ts";
import { requestIdHeader } from "../http/request-id.ts";
import { isLoopbackHost } from "../listener/listen.ts";
import { callKey } from "../server/call-context.ts";
import { defaultMaxMessageBytes } from "../server/connect-router.ts";
import { createErrorTransport } from "./error-transport.ts";
import { HubConnection } from "./hub-connection.ts";

/** How to reach a hub. */
export interface HubTransportOptions {
  /** `https://host:port`, or `http://` on loopback. */
  readonly url: string;
  /** PEM text of the CA to trust in place of the system's; or the file that holds it. */
  readonly ca?: string | undefined;
  readonly caFile?: string;
  /** Sent with every call. A function is called each time, so the token can change. */
  readonly token?: string | (() => string | Promise<string>);
  readonly clock: Clock;
  readonly random: Random;
  /** Deadline of unary calls that set none. Default: 30 s. Streams have no deadline. */
  readonly unaryTimeoutMs?: number;
  /** The HTTP proxy for a hub with TLS; undefined: no proxy. */
  readonly proxy?: URL | undefined;
}

/** A Connect transport that throws FlotillaErrors. Close it, or its connection keeps the process alive. */
export interface HubTransport extends Transport {
  readonly url: string;
  /** Cancels open calls and closes the connection. A later call opens it again. */
  close(): void;
}

/** As on the hub: PINGs find a dead peer within 30 s. */
const pings = { pingIntervalMs: 20_000, pingTimeoutMs: 10_000 };

/**
 * A transport to a hub: HTTP/2 over TLS, or HTTP/1.1 on loopback. Throws CONFIG_INVALID or CERTIFICATE_INVALID before
 * anything is sent.
 */
export function createHubTransport(options: HubTransportOptions): HubTransport {
  const url = parseHubUrl(options.url);
  const shared = {
    baseUrl: url.origin,
    interceptors: [createHeaderInterceptor(options)],
    readMaxBytes: defaultMaxMessageBytes,
    writeMaxBytes: defaultMaxMessageBytes,
  };
  const timeoutMs = options.unaryTimeoutMs ?? 30_000;
  if (url.protocol === "http:") {
    const agent = new Agent({ keepAlive: true });
    const inner = createConnectTransport({ ...shared, httpVersion: "1.1", nodeOptions: { agent } });
    const transport = createErrorTransport(inner, { url: url.origin, timeoutMs });
    return { ...transport, url: url.origin, close: () => agent.destroy() };
  }
  const ca = loadCa(options);
  const connection = new HubConnection({
    url: url.origin,
    clock: options.clock,
    dialTimeoutMs: timeoutMs,
    proxy: options.proxy,
    ...pings,
    ...(ca === undefined ? {} : { ca }),
  });
  const inner = createConnectTransport({ ...shared, httpVersion: "2", sessionManager: connection });
  const transport = createErrorTransport(inner, { url: url.origin, timeoutMs, isCaGiven: ca !== undefined });
  return { ...transport, url: url.origin, close: () => connection.abort() };
}

function parseHubUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `"${text.slice(0, 200)}" is not the address of a hub; write https://HOST:PORT`,
    );
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol === "http:" && !isLoopbackHost(host)) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `${url.origin} would send the token unencrypted; use https:// for a hub on another machine`,
    );
  }
  return url;
}

function loadCa({ ca, caFile }: HubTransportOptions): string | undefined {
  if (ca !== undefined || caFile === undefined) return ca;
  try {
    return readFileSync(caFile, "utf8");
  } catch (reason) {
    throw new FlotillaError("CERTIFICATE_INVALID", `the CA file ${caFile} cannot be read`, { cause: reason });
  }
}

/**
 * Sets the token and the request id. The id is taken from the call being served, if the context values have one;
 * otherwise it is new.
 */
function createHeaderInterceptor({ token, random }: HubTransportOptions): Interceptor {
  return (next) => async (request) => {
    if (token !== undefined) {
      const text = typeof token === "string" ? token : await token();
      // The runtime's own error would quote the token.
      if (!isBearerToken(text))
        throw new FlotillaError("CONFIG_INVALID", "the access token cannot be sent in a header");
      request.header.set("authorization", `Bearer ${text}`);
    }
    if (!request.header.has(requestIdHeader)) {
      const served = request.contextValues.get(callKey);
      request.header.set(requestIdHeader, served?.requestId ?? createId(idPrefixes.request, random));
    }
    return next(request);
  };
}
