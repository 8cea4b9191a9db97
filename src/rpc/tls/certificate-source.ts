// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { ServerIdentity } from "./server-identity.ts";

/** Where a TLS listener gets its certificate, at first and again whenever there is a newer one. */
export interface CertificateSource {
  /** What is in force. */
  readonly current: ServerIdentity;
  /** The file that clients pin to trust `current`; undefined where the operator gave the certificate and knows its CA. */
  readonly caFile: string | undefined;
  /** How often `refresh` is worth calling. */
  readonly refreshEveryMs: number;
  /**
   * Looks once whether something newer is due; if so it is `current` from now on and is returned. What cannot be used
   * leaves `current` in force, is logged once per change of the files, and is not thrown.
   */
  refresh(): Promise<ServerIdentity | undefined>;
}

/** Calls `refresh` at its interval and hands each newer identity to `apply`, until the signal aborts; then it resolves. */
export async function runCertificateRefresh(
  source: CertificateSource,
  options: { readonly clock: Clock; readonly log: Logger; readonly apply: (identity: ServerIdentity) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await options.clock.sleep(source.refreshEveryMs, signal);
    } catch (reason) {
      if (signal.aborted) return;
      throw reason;
    }
    const newer = await source.refresh();
    try {
      if (newer !== undefined) options.apply(newer);
    } catch (reason) {
      options.log.error("certificate was refused by the listener; the previous one stays in force", {}, reason);
    }
  }
}
