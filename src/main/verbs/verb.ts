// SPDX-License-Identifier: Apache-2.0
import type { Transport } from "@connectrpc/connect";
import type { HubAddress } from "../../cli/hub/find-hub.ts";
import { type Io, say } from "../../cli/output/io.ts";
import type { ClientVersion } from "../../cli/output/version.ts";
import type { OptionSpec } from "../config/option.ts";
import { type ConfigOf, optionsOf, type VerbName } from "../config/option-table.ts";
import { type ArgumentSpec, readConfig } from "../config/read-config.ts";
import type { ReadFile } from "../config/read-file.ts";

/** A connection to a hub. Close it, or it keeps the process alive. */
export interface OpenedTransport extends Transport {
  close(): void;
}

/** Opens a transport to a hub. It connects on the first call. */
export type OpenTransport = (address: HubAddress) => Promise<OpenedTransport>;

/** The environment of a verb, created by the entry point or by a test. */
export interface Runtime {
  readonly io: Io;
  /** Aborts when the process receives SIGINT or SIGTERM, or its output fails. */
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
  /** Whole command lines for its help page, without the name of the program; absent = none. */
  readonly examples?: readonly string[];
  /**
   * Runs it with the arguments after its name. Resolves when done, or when the signal aborted and everything is closed.
   * Rejects with the failure.
   */
  readonly run: (argv: readonly string[], runtime: Runtime) => Promise<void>;
}

/** The call of a verb with a valid configuration. */
export interface VerbCall<Name extends VerbName> {
  readonly config: ConfigOf<Name>;
  readonly args: readonly string[];
  readonly runtime: Runtime;
}

/** A verb with options from the table. */
export interface VerbDefinition<Name extends VerbName> {
  readonly name: Name;
  readonly summary: string;
  readonly args?: readonly ArgumentSpec[];
  /** As in `Verb`. */
  readonly examples?: readonly string[];
  /** Imports the verb's code, so that a verb loads only its own. */
  readonly load: () => Promise<(call: VerbCall<Name>) => Promise<void>>;
}

/**
 * Defines a verb that reads its configuration first. If the configuration is wrong, no code of the verb is loaded and
 * no file, port or connection is opened.
 */
export function defineVerb<Name extends VerbName>(definition: VerbDefinition<Name>): Verb {
  const { name, summary, args = [], examples = [], load } = definition;
  return {
    name,
    summary,
    args,
    examples,
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
