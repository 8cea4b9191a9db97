// SPDX-License-Identifier: Apache-2.0

import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { BackoffOptions } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { KubeError } from "../kube-error.ts";
import type { KubeSource } from "../kube-source.ts";
import type { ReflectorSink } from "../reflector-event.ts";
import type { ServerRecovery } from "../server-recovery.ts";
import type { Followed } from "./kube-resource-path.ts";
import type { StripObject } from "./strip-object.ts";

/** The operator's settings, the same for all reflectors of an agent. */
export interface ReflectorSettings {
  /** `--request-timeout`: the limit for a whole page, or for the response head of a watch (KU2). */
  readonly requestTimeoutMs: number;
  /** `--page-size`. */
  readonly pageSize: number;
  /** `--watch-silence` (KU13). */
  readonly watchSilenceMs: number;
  /** `--retry-limit`: attempts in one scan (KU14). */
  readonly retryLimit: number;
  /** The delay between attempts. It starts over once a watch has lasted `stableMs` (L12). */
  readonly backoff: BackoffOptions;
  /**
   * `--sync-interval`, `--min-sync-interval`, `--max-sync-interval` (KU16). Also the delay from a failed scan to the
   * next.
   */
  readonly syncIntervalMs: number;
  readonly minSyncIntervalMs: number;
  readonly maxSyncIntervalMs: number;
  /** `--max-object-size` (KU15). */
  readonly maxObjectBytes: number;
  /**
   * Lists again this long after the last list, give or take a tenth, even if the watch is healthy (L7). Undefined:
   * never.
   */
  readonly relistIntervalMs?: number | undefined;
  /**
   * The delay before a refused watch is tried again, give or take a tenth (KU16): a newly granted permission needs no
   * restart.
   */
  readonly rewatchIntervalMs: number;
}

/**
 * Defaults. A silence of 150 s is two missed bookmarks and some delay. kubectl and client-go use a page size of 500,
 * about 2.5 MB of Pods. The backoff begins at client-go's 800 ms and ends at its 30 s.
 */
export const defaultReflectorSettings: ReflectorSettings = {
  requestTimeoutMs: 30_000,
  pageSize: 500,
  watchSilenceMs: 150_000,
  retryLimit: 5,
  backoff: { firstMs: 800, factor: 2, capMs: 30_000, stableMs: 10_000 },
  syncIntervalMs: 30_000,
  minSyncIntervalMs: 5_000,
  maxSyncIntervalMs: 300_000,
  maxObjectBytes: 8 * 1024 * 1024,
  rewatchIntervalMs: 600_000,
};

/** The dependencies and settings of one reflector. */
export interface ReflectorOptions extends Followed {
  readonly source: KubeSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: ReflectorSettings;
  /** Receives all events, one at a time (KU15). An error that it throws ends the reflector. */
  readonly sink: ReflectorSink;
  /**
   * Called at once if a request failed with a fault of the whole server, or if a watch ended early: a reason to probe
   * . Must not throw. Undefined: the watch ended without an error.
   */
  readonly onDoubt?: ((error: KubeError | undefined) => void) | undefined;
  /**
   * Applied to each object before it is passed to the sink. Default: `stripObject`. A reader that writes objects back
   * needs the stripped fields, so it passes its own function.
   */
  readonly strip?: StripObject | undefined;
  /**
   * Ends the wait after a server failure when the server answers again (KU14). Undefined: every wait lasts its full
   * time.
   */
  readonly returns?: ServerRecovery | undefined;
}
