// SPDX-License-Identifier: Apache-2.0
import type { BackoffOptions } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { KubeError } from "../kube-error.ts";
import type { KubeSource } from "../kube-source.ts";
import type { ReflectorSink } from "../reflector-event.ts";
import type { ServerRecovery } from "../server-recovery.ts";
import type { Followed } from "./kube-resource-path.ts";
import type { StripObject } from "./strip-object.ts";

/** What an operator can set, the same for all reflectors of an agent. */
export interface ReflectorSettings {
  /** `--request-timeout`: a page whole, of a watch its head (KU2). */
  readonly requestTimeoutMs: number;
  /** `--page-size`. */
  readonly pageSize: number;
  /** `--watch-silence` (KU13). */
  readonly watchSilenceMs: number;
  /** `--retry-limit`: attempts in one scan (KU14). */
  readonly retryLimit: number;
  /** Between attempts; failures are forgotten once a watch stood for `stableMs` (L12). */
  readonly backoff: BackoffOptions;
  /** `--sync-interval`, `--min-sync-interval`, `--max-sync-interval` (KU16); also when a scan that failed is followed by the next. */
  readonly syncIntervalMs: number;
  readonly minSyncIntervalMs: number;
  readonly maxSyncIntervalMs: number;
  /** `--max-object-size` (KU15). */
  readonly maxObjectBytes: number;
  /** Lists anew that long after the last list, give or take a tenth, though the watch stands (L7). Undefined: never. */
  readonly relistIntervalMs?: number | undefined;
  /** How long after watch was refused it is tried again, give or take a tenth (KU16): a right that was granted needs no restart. */
  readonly rewatchIntervalMs: number;
}

/**
 * Defaults. Silence of 150 s is two missed bookmarks and some delay. A page of 500 is what kubectl and client-go ask for, about 2.5 MB of Pods.
 * Backoff begins at client-go's 800 ms and ends at its 30 s.
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

/** What one reflector needs. */
export interface ReflectorOptions extends Followed {
  readonly source: KubeSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: ReflectorSettings;
  /** Told everything, one at a time (KU15). What it throws ends the reflector. */
  readonly sink: ReflectorSink;
  /**
   * Told at once when a request failed as if the server were gone, or a watch ended before it was due: reason to probe. Must not throw. Undefined: the
   * watch ended in order.
   */
  readonly onDoubt?: (error: KubeError | undefined) => void;
  /**
   * Applied to each object before it is given to the sink. Default: `stripObject`. A reader that writes objects back, and so needs
   * what is stripped for rows, brings its own.
   */
  readonly strip?: StripObject;
  /** Ends the wait after a failure of the server when it answers again (KU14). Undefined: every wait lasts its time. */
  readonly returns?: ServerRecovery | undefined;
}
