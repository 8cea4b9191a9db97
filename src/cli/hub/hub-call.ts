// SPDX-License-Identifier: Apache-2.0
import type { Transport } from "@connectrpc/connect";
import type { Io } from "../output/io.ts";
import type { OutputFormat } from "../output/output.ts";

/** The call of a verb to a hub. The transport throws FlotillaErrors. */
export interface HubCall {
  readonly transport: Transport;
  readonly io: Io;
  readonly output: OutputFormat;
  /** Aborts when the user stops the verb, which then ends without an error. */
  readonly signal: AbortSignal;
}
