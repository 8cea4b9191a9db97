// SPDX-License-Identifier: Apache-2.0
// Every option of every verb. Flags, variables, the file, `--help` and docs/reference/config.md all come from here.
import { accessOptions } from "./access-options.ts";
import { agentOptions } from "./agent-options.ts";
import { auditOptions } from "./audit-options.ts";
import { callOptions } from "./call-options.ts";
import { clusterOptions } from "./cluster-options.ts";
import { fleetOptions } from "./fleet-options.ts";
import { gitopsOptions } from "./gitops-options.ts";
import { hubOptions } from "./hub-options.ts";
import { type OptionSpec, type ValuesOf, variantFor } from "./option.ts";
import { queryOptions } from "./query-options.ts";
import { fleetQueryOptions, savedQueryOptions } from "./saved-query-options.ts";
import { storeOptions } from "./store-options.ts";
import { tokenOptions } from "./token-options.ts";
import { upOptions } from "./up-options.ts";
import { callVerbs, hubVerbs, loginVerbs, storeVerbs } from "./verb-groups.ts";

const sharedOptions = [
  {
    name: "config",
    type: "path",
    verbs: [...hubVerbs, ...callVerbs, ...storeVerbs, ...loginVerbs, "agent", "agent manifest"],
    sources: ["flag", "variable"],
    description: "YAML file of settings. Its keys are the names of the flags.",
  },
  {
    name: "data-dir",
    type: "path",
    default: "./.flotilla",
    verbs: [...hubVerbs, ...callVerbs, ...storeVerbs, "agent", "agent manifest"],
    description:
      "Folder of the hub's store, keys and certificates, created with mode 0700. Verbs that call a hub look here for a running one.",
  },
] as const satisfies readonly OptionSpec[];

/** In the order of `--help` and of the reference page. */
export const optionTable = [
  ...sharedOptions,
  ...hubOptions,
  ...fleetOptions,
  ...accessOptions,
  ...gitopsOptions,
  ...fleetQueryOptions,
  ...upOptions,
  ...agentOptions,
  ...callOptions,
  ...tokenOptions,
  ...clusterOptions,
  ...auditOptions,
  ...queryOptions,
  ...savedQueryOptions,
  ...storeOptions,
] as const;

/** A verb that has options. */
export type VerbName = (typeof optionTable)[number]["verbs"][number];

/** The configuration of one verb: every option it reads, with its value. */
export type ConfigOf<Verb extends VerbName> = ValuesOf<typeof optionTable, Verb>;

/** The options of one verb, in the order of the table. */
export function optionsOf(verb: string, table: readonly OptionSpec[] = optionTable): readonly OptionSpec[] {
  return table.filter((option) => option.verbs.includes(verb)).map((option) => variantFor(option, verb));
}
