// SPDX-License-Identifier: Apache-2.0
// What is judged, and from which bound on (HE8): one table for the hub's side and the agent's.
import { FlotillaError } from "../base/error.ts";

interface Threshold {
  readonly byDefault: number;
  /** The least value that makes sense. */
  readonly atLeast: number;
  /** What is held against it, and what follows. */
  readonly judges: string;
}

/** Every bound of connection health: its default, and what it judges. A value at its bound counts as beyond it. */
export const thresholdTable = {
  heartbeatIntervalCount: {
    byDefault: 1.5, // one heartbeat may be half an interval late; the second missed one ends the session (SE29)
    atLeast: 1,
    judges: "age of the last heartbeat, in intervals of the session: stale",
  },
  staleAfterMs: {
    byDefault: 30_000, // the seeds' own full-sync interval: what waits longer would have been older without us
    atLeast: 1,
    judges: "how long the oldest change has waited, sent or not, to become durable at the hub: stale",
  },
  grantsBehindMs: {
    byDefault: 150_000, // L17
    atLeast: 1,
    judges: "how far the picture of an RBAC kind is behind: stale",
  },
  returnGraceMs: {
    byDefault: 60_000, // twice the longest wait between two attempts of a reflector
    atLeast: 0,
    judges: "time since the API server answers again in which a kind that was cut off with it is waited for",
  },
  flapLimitCount: {
    byDefault: 3, // HE6
    atLeast: 1,
    judges: "falls within the window; more are flapping",
  },
  flapWindowMs: {
    byDefault: 600_000, // HE6
    atLeast: 1,
    judges: "how long a fall counts towards flapping",
  },
  flapQuietMs: {
    byDefault: 30_000, // HE6
    atLeast: 0,
    judges: "time since the last fall before a flapping cluster shows live",
  },
  incidentJoinMs: {
    byDefault: 10_000, // HE11: one probe interval, so that agents who probe at different moments meet in one incident
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

/** One value for each bound. */
export type Thresholds = { readonly [Name in keyof typeof thresholdTable]: number };

/** The table's defaults with these in their place. Throws INVALID_ARGUMENT that names every value that cannot work. */
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
    throw new FlotillaError("INVALID_ARGUMENT", `the health thresholds cannot work: ${mistakes.join("; ")}`);
  }
  return chosen;
}
