// SPDX-License-Identifier: Apache-2.0
// The thresholds of connection health (HE8): one table for hub and agent.
import { FlotillaError } from "../base/error.ts";

interface Threshold {
  readonly byDefault: number;
  /** Minimum value. */
  readonly atLeast: number;
  /** The compared quantity and the effect. */
  readonly judges: string;
}

/**
 * Every threshold of connection health: its default, minimum and effect. A value equal to its threshold counts as
 * beyond it.
 */
export const thresholdTable = {
  heartbeatIntervalCount: {
    byDefault: 1.5, // one heartbeat may be half an interval late; the second missed one ends the session (SE29)
    atLeast: 1,
    judges: "age of the last heartbeat, in intervals of the session: stale",
  },
  staleAfterMs: {
    byDefault: 30_000, // the full-sync interval of polling systems: a longer delay would be worse than theirs
    atLeast: 1,
    judges: "how long the oldest change has waited, sent or not, to become durable at the hub: stale",
  },
  grantsBehindMs: {
    byDefault: 150_000, // L17
    atLeast: 1,
    judges: "how far the rows of an RBAC kind are behind: stale",
  },
  returnGraceMs: {
    byDefault: 60_000, // twice the longest wait between two attempts of a reflector
    atLeast: 0,
    judges: "time since the API server answers again during which kinds that were lost with it delay the proof",
  },
  flapLimitCount: {
    byDefault: 3, // HE6
    atLeast: 1,
    judges: "losses within the window; more are flapping",
  },
  flapWindowMs: {
    byDefault: 600_000, // HE6
    atLeast: 1,
    judges: "how long a loss counts towards flapping",
  },
  flapQuietMs: {
    byDefault: 30_000, // HE6
    atLeast: 0,
    judges: "time since the last loss before a flapping cluster shows live",
  },
  incidentJoinMs: {
    byDefault: 10_000, // HE11: one probe interval, so that losses detected by different agents join one incident
    atLeast: 0,
    judges: "time since the newest loss of an incident within which another joins it",
  },
  probeIntervalMs: {
    byDefault: 10_000,
    atLeast: 1,
    judges: "time between two probes of an API server that answers",
  },
  probeTimeoutMs: {
    byDefault: 5_000, // KU20: half the interval, so that a black hole shows within 15 s
    atLeast: 1,
    judges: "how long one probe may take: lost",
  },
  degradedLimitCount: {
    byDefault: 3, // HE5
    atLeast: 1,
    judges: "probes in a row that were answered with 5xx or 429: lost",
  },
} as const satisfies Readonly<Record<string, Threshold>>;

/** One value for each threshold. */
export type Thresholds = { readonly [Name in keyof typeof thresholdTable]: number };

/** The defaults, overridden by `given`. Throws INVALID_ARGUMENT naming every invalid value. */
export function createThresholds(given: Partial<Thresholds> = {}): Thresholds {
  const names = Object.keys(thresholdTable) as (keyof Thresholds)[];
  const mistakes: string[] = [];
  const chosen = Object.fromEntries(
    names.map((name) => {
      const value = given[name] ?? thresholdTable[name].byDefault;
      const { atLeast } = thresholdTable[name];
      if (!(Number.isFinite(value) && value >= atLeast))
        mistakes.push(`${name} must be ${atLeast} or more, not ${value}`);
      return [name, value];
    }),
  ) as Thresholds;
  if (chosen.probeTimeoutMs >= chosen.probeIntervalMs) {
    mistakes.push(
      `probeTimeoutMs (${chosen.probeTimeoutMs}) must be below probeIntervalMs (${chosen.probeIntervalMs})`,
    );
  }
  if (mistakes.length > 0) {
    throw new FlotillaError("INVALID_ARGUMENT", `the health thresholds are invalid: ${mistakes.join("; ")}`);
  }
  return chosen;
}
