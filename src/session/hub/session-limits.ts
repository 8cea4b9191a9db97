// SPDX-License-Identifier: Apache-2.0

/** Limits of one session. */
export interface SessionLimits {
  /** Bytes of one message (`--max-message-size`, N-57). */
  readonly maxMessageBytes: number;
  /** Bytes of one message joined from chunks (SE19). */
  readonly maxJoinedBytes: number;
  /** Most bytes of unacknowledged flushes (SE20). */
  readonly maxCreditBytes: number;
  readonly heartbeatMs: number;
  /** How long the hub waits for Hello, and for Proof (SE2). */
  readonly greetingMs: number;
}

/**
 * The defaults: N-57, SE29, SE2. The joined limit holds the RBAC of 100,000 bindings, which is never split (SE16). The
 * credit holds two messages.
 */
export const defaultSessionLimits: SessionLimits = {
  maxMessageBytes: 4 * 1024 * 1024,
  maxJoinedBytes: 64 * 1024 * 1024,
  maxCreditBytes: 8 * 1024 * 1024,
  heartbeatMs: 5_000,
  greetingMs: 10_000,
};

/** The protocol version this hub speaks. 1: first. */
export const protocolVersion = 1;

/** The time without a message after which a session ends: two heartbeats (SE29). */
export function silenceMsOf(heartbeatMs: number): number {
  return 2 * heartbeatMs;
}

/**
 * 64 KiB: the most that the hub reads of a client before it has authenticated it, in a session and in any public method
 * (RP51). A Join with a full set of labels takes 12 kB, a Hello with some hundred resources 16 kB; the kinds that do
 * not fit in the Hello follow the Welcome (SE56).
 */
export const maxUnauthenticatedBytes = 65_536;

/** Most parts of one flush: four whole kinds replaced bucket by bucket (SE24). */
export const maxPartCount = 4_096;

/** Most kinds, or namespaces, in one message; clusters with a thousand CRDs exist. */
export const maxKindCount = 4_096;

/** Bytes kept of a text that is only displayed; longer ones are cut. */
export const maxShownBytes = 1_024;

/** Bytes kept of a version, fault or verb. The longest from an agent is a version of some 30. */
export const maxWordBytes = 128;

/** 100 years: longer than any process or outage. In seconds it fits the 32 bits of `lag_seconds` in pages (SE55). */
export const maxDurationMs = 100 * 365 * 86_400_000;
