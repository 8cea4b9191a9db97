// SPDX-License-Identifier: Apache-2.0

import type { BugError } from "../../base/assert.ts";
import type { Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { createCountedGuard } from "../../telemetry/task-failures.ts";
import { type AuthenticateOptions, bearerCredential, type CredentialReader } from "../auth/authenticate.ts";
import type { CallAuthorizer } from "../auth/authorize-call.ts";
import { defaultExchangeLimits, type ExchangeLimits } from "../http/exchange.ts";
import type { HostPolicy } from "../http/host-check.ts";
import { createHttpRouter } from "../http/http-router.ts";
import type { RawRoute } from "../http/raw-route.ts";
import type { Route } from "../http/route.ts";
import { defaultMaxStreamsPerCaller, StreamLimit } from "../http/stream-limit.ts";
import type { DrainReport } from "../listener/drain.ts";
import type { HandshakeFailure } from "../listener/handshake-failures.ts";
import type { ListenAddress } from "../listener/listen.ts";
import { type Listener, type ListenerOptions, openPlainListener, openTlsListener } from "../listener/listener.ts";
import { defaultListenerLimits, type ListenerLimits } from "../listener/listener-limits.ts";
import { type CertificateSource, runCertificateRefresh } from "../tls/certificate-source.ts";
import type { UnaryDeadlines } from "./call-interceptor.ts";
import { createRpcRouter, defaultMaxMessageBytes, type ServiceEntry } from "./connect-router.ts";
import { createRpcMetrics } from "./rpc-metrics.ts";

/** Everything one process serves, and on which ports. */
export interface EndpointOptions extends HostPolicy, Pick<AuthenticateOptions, "verifier"> {
  readonly tls?: ListenAddress & { readonly certificate: CertificateSource };
  readonly plain?: ListenAddress;
  readonly services: readonly ServiceEntry[];
  readonly routes: readonly (Route | RawRoute)[];
  readonly authorizer: CallAuthorizer;
  /** Readers that look for a credential in a request. Default: only the bearer header. */
  readonly credentials?: readonly CredentialReader[];
  readonly limits?: Partial<
    ListenerLimits & ExchangeLimits & { readonly maxMessageBytes: number; readonly maxStreamsPerCaller: number }
  >;
  readonly deadlines?: UnaryDeadlines;
  readonly onBug?: (bug: BugError) => void;
  /** Called for each TLS handshake that the client broke off. Must not throw. */
  readonly onHandshakeFailed?: (failure: HandshakeFailure) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Default 30 s, as usual for an API. At most 5 minutes, so that no call stays open for ever. */
const defaultDeadlines: UnaryDeadlines = { defaultMs: 30_000, maxMs: 300_000 };

/** The open listeners of a process. */
export interface Endpoint {
  readonly tls: Pick<Listener, "url" | "port"> | undefined;
  readonly plain: Pick<Listener, "url" | "port"> | undefined;
  /**
   * Ends streams with UNAVAILABLE, lets unary calls finish until the deadline, cuts the rest and closes the ports.
   * Leaves no timer, socket or loop. Later calls return the same report.
   */
  drain(deadlineMs: number): Promise<DrainReport>;
}

/** Opens the configured listeners. If one cannot be opened, none stays open and the call rejects with LISTEN_FAILED. */
export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { services, routes, verifier, authorizer, hostNames, origins, clock, random, log } = options;
  const { credentials = [bearerCredential], deadlines = defaultDeadlines, onBug = () => undefined } = options;
  const closing = new AbortController();
  const metrics = createRpcMetrics(options.metrics);
  const guard = createCountedGuard({ log, metrics: options.metrics });
  const limits = {
    ...defaultListenerLimits,
    ...defaultExchangeLimits,
    maxMessageBytes: defaultMaxMessageBytes,
    maxStreamsPerCaller: defaultMaxStreamsPerCaller,
    ...options.limits,
  };
  const { maxMessageBytes } = limits;
  const access = { verifier, credentials, authorizer };
  const streams = { closing: closing.signal, metrics, limit: new StreamLimit(limits.maxStreamsPerCaller) };
  const { onRequest, upgrades } = createHttpRouter({
    hosts: { hostNames, origins },
    access,
    methods: createRpcRouter({ services, maxMessageBytes, access, streams, deadlines, clock, onBug }),
    routes,
    exchanges: { clock, log, metrics, limits, guard },
    streams,
    deadlines,
    random,
  });
  const listenerOptions = (address: ListenAddress, name: "tls" | "plain"): ListenerOptions => ({
    ...address,
    limits,
    clock,
    log,
    guard,
    onRequest,
    upgrades,
    onCut: metrics.connectionCut,
    onConnectionCount: (count) => metrics.connectionCount(address.name ?? name, count),
    onHandshakeFailed: options.onHandshakeFailed,
  });
  const { certificate } = options.tls ?? {};
  const tls =
    options.tls && (await openTlsListener(listenerOptions(options.tls, "tls"), options.tls.certificate.current));
  let plain: Listener | undefined;
  try {
    plain = options.plain && (await openPlainListener(listenerOptions(options.plain, "plain")));
  } catch (reason) {
    await tls?.drain(0);
    throw reason;
  }
  const refreshing =
    tls !== undefined && certificate !== undefined
      ? runCertificateRefresh(certificate, { clock, log, apply: tls.setIdentity }, closing.signal)
      : Promise.resolve();
  let drained: Promise<DrainReport> | undefined;
  const drain = async (deadlineMs: number): Promise<DrainReport> => {
    closing.abort(new Error("the endpoint is closing"));
    const reports = await Promise.all([tls?.drain(deadlineMs), plain?.drain(deadlineMs)]);
    await refreshing;
    return { cutCount: reports.reduce((sum, report) => sum + (report?.cutCount ?? 0), 0) };
  };
  return { tls, plain, drain: (deadlineMs) => (drained ??= drain(deadlineMs)) };
}
