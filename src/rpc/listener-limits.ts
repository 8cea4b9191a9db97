// SPDX-License-Identifier: Apache-2.0

/** What connections get before anything on them has been authenticated (RP54, RP55). */
export interface UnauthenticatedLimits {
  /** Open connections of one sender (`senderNetworkOf`) on one listener. */
  readonly maxCountPerAddress: number;
  /** From the connection's beginning until something on it must be authenticated. */
  readonly timeoutMs: number;
}

/** What one listener bears. Every limit holds before anybody is authenticated. */
export interface ListenerLimits {
  /** Bytes of one request's headers together. */
  readonly maxHeaderBytes: number;
  /** Open connections; one more is closed at once, without harm to the others. */
  readonly maxConnectionCount: number;
  /** Undefined on a listener that serves public routes alone, where nothing is ever authenticated. */
  readonly unauthenticated: UnauthenticatedLimits | undefined;
  /** Requests open at a time on one HTTP/2 connection. */
  readonly maxStreamCount: number;
  /** Until a connection must have finished its TLS handshake; after it, its HTTP/2 preface and SETTINGS, or the headers of a request. */
  readonly headersTimeoutMs: number;
  /** How long a connection without a request stays open. */
  readonly idleTimeoutMs: number;
  /** From one HTTP/2 PING to the next; on HTTP/1.1 the pause before TCP keep-alive probes. */
  readonly pingIntervalMs: number;
  /** Until a PING must be answered; shorter than the interval (L11). */
  readonly pingTimeoutMs: number;
}

export const defaultUnauthenticatedLimits: UnauthenticatedLimits = {
  maxCountPerAddress: 1_024, // a thousand agents behind one address may all dial at once; an eighth of all connections
  timeoutMs: 30_000, // a handshake (10 s), a greeting (10 s) and a proof (10 s), each as late as it may be
};

export const defaultListenerLimits: ListenerLimits = {
  maxHeaderBytes: 16_384, // Node's own default; our largest header is a token below 1 kB
  maxConnectionCount: 8_192, // 1,000 agents with two connections each, browsers and scripts, four times over
  unauthenticated: defaultUnauthenticatedLimits,
  maxStreamCount: 250, // what Go's HTTP/2 grants; an agent needs a session, two watches and its tunnels
  headersTimeoutMs: 10_000, // a handshake takes two round trips; 10 s covers one lost packet on a slow link
  idleTimeoutMs: 300_000, // a browser tab at rest; a client behind it reconnects without notice
  pingIntervalMs: 20_000, // below the 60 s after which common load balancers and NATs forget a silent connection
  pingTimeoutMs: 10_000, // half the interval: a dead peer is found within 30 s
};
