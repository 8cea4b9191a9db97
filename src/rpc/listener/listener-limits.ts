// SPDX-License-Identifier: Apache-2.0

/** Limits for connections that are not authenticated yet (RP54, RP55). */
export interface UnauthenticatedLimits {
  /** Open connections of one sender (`senderNetworkOf`) on one listener. */
  readonly maxCountPerAddress: number;
  /** From the start of the connection until a request on it must be authenticated. */
  readonly timeoutMs: number;
}

/** Limits of one listener. Each applies before authentication. */
export interface ListenerLimits {
  /** Bytes of one request's headers together. */
  readonly maxHeaderBytes: number;
  /** Open connections. Further ones are closed at once; existing ones are not affected. */
  readonly maxConnectionCount: number;
  /** Undefined on a listener with only public routes, where nothing is ever authenticated. */
  readonly unauthenticated: UnauthenticatedLimits | undefined;
  /** Requests open at a time on one HTTP/2 connection. */
  readonly maxStreamCount: number;
  /** Deadline of the TLS handshake; after it, of the HTTP/2 preface and SETTINGS, or of a request's headers. */
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
  timeoutMs: 30_000, // handshake, hello and proof, each with its own limit of 10 s
};

export const defaultListenerLimits: ListenerLimits = {
  maxHeaderBytes: 16_384, // Node's own default; our largest header is a token below 1 kB
  maxConnectionCount: 8_192, // four times 1,000 agents with two connections each, plus browsers and scripts
  unauthenticated: defaultUnauthenticatedLimits,
  maxStreamCount: 250, // what Go's HTTP/2 grants; an agent needs a session, two watches and its tunnels
  headersTimeoutMs: 10_000, // a handshake takes two round trips; 10 s covers one lost packet on a slow link
  idleTimeoutMs: 300_000, // a browser tab at rest; a client behind it reconnects without notice
  pingIntervalMs: 20_000, // below the 60 s after which common load balancers and NATs forget a silent connection
  pingTimeoutMs: 10_000, // half the interval: a dead peer is found within 30 s
};
