// SPDX-License-Identifier: Apache-2.0

import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ServerIdentity } from "./server-identity.ts";

/** Supplies the certificate of a TLS listener, and newer ones when available. */
export interface CertificateSource {
  /** The certificate in use. */
  readonly current: ServerIdentity;
  /**
   * The file that clients pin to trust `current`. Undefined if the operator supplied the certificate and knows its CA.
   */
  readonly caFile: string | undefined;
  /** Interval for calling `refresh`. */
  readonly refreshEveryMs: number;
  /**
   * Checks once for a newer certificate. If there is one, it becomes `current` and is returned. An unusable one is not
   * thrown: `current` stays in use, and the problem is logged once per change of the files.
   */
  refresh(): Promise<ServerIdentity | undefined>;
}

/** Calls `refresh` at its interval and passes each newer identity to `apply`. Resolves when the signal aborts. */
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
      options.log.error("certificate refused by the listener; the previous one stays in use", {}, reason);
    }
  }
}
