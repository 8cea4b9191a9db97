// SPDX-License-Identifier: Apache-2.0
import type { Transport } from "@connectrpc/connect";
import type { HubAddress } from "../cli/find-hub.ts";
import { type Io, say } from "../cli/io.ts";
import type { ClientVersion } from "../cli/version.ts";
import type { OptionSpec } from "./config/option.ts";
import { type ConfigOf, optionsOf, type VerbName } from "./config/option-table.ts";
import { type ArgumentSpec, readConfig } from "./config/read-config.ts";
import type { ReadFile } from "./config/read-file.ts";

/** A way to a hub. Whoever opens it closes it, or it keeps the process alive. */
export interface OpenedTransport extends Transport {
  close(): void;
}

/** Gets ready to call a hub; whether it answers shows at the first call. */
export type OpenTransport = (address: HubAddress) => Promise<OpenedTransport>;

/** The world around a verb: made once by the entry, or by a test. */
export interface Runtime {
  readonly io: Io;
  /** Aborts when the user or the supervisor wants the process to end. */
  readonly signal: AbortSignal;
  readonly readFile: ReadFile;
  readonly openTransport: OpenTransport;
  readonly version: ClientVersion;
}

/** A verb of the command line. */
export interface Verb {
  /** One word, or two for `token list` and the like. */
  readonly name: string;
  readonly summary: string;
  readonly args: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** Runs it with what follows its name. Resolves when done, or when the signal aborted and all is closed; rejects with why it failed. */
  readonly run: (argv: readonly string[], runtime: Runtime) => Promise<void>;
}

/** What a verb is called with, once its configuration is known to be right. */
export interface VerbCall<Name extends VerbName> {
  readonly config: ConfigOf<Name>;
  readonly args: readonly string[];
  readonly runtime: Runtime;
}

/** A verb whose options are in the table. */
export interface VerbDefinition<Name extends VerbName> {
  readonly name: Name;
  readonly summary: string;
  readonly args?: readonly ArgumentSpec[];
  /** Imports the code, so that a verb pays for its own start only. */
  readonly load: () => Promise<(call: VerbCall<Name>) => Promise<void>>;
}

/**
 * A verb that reads its configuration first. Nothing of it is loaded, and so no file, port or connection opened, while
 * anything in the configuration is wrong.
 */
export function defineVerb<Name extends VerbName>({ name, summary, args = [], load }: VerbDefinition<Name>): Verb {
  return {
    name,
    summary,
    args,
    options: optionsOf(name),
    run: async (argv, runtime) => {
      const { env } = runtime.io;
      const read = readConfig(name, { argv, env, readFile: runtime.readFile, args });
      for (const warning of read.warnings) say(runtime.io, `warning: ${warning}`);
      const run = await load();
      await run({ config: read.config, args: read.args, runtime });
    },
  };
}
