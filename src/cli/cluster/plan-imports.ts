// SPDX-License-Identifier: Apache-2.0
// Decides which contexts are imported and their ids, before anything is done.
import { FlotillaError } from "../../base/error.ts";
import { loadKubeconfig } from "../../kube/credentials/load-kubeconfig.ts";
import { type Kubeconfig, resolveContext, selectContexts } from "../../kube/credentials/parse-kubeconfig.ts";
import { quote } from "../../model/text.ts";
import { checkIdTemplate, defaultIdTemplate, type NamedContext, nameContexts } from "./context-id.ts";

/** The options of an import. */
export interface ImportChoice {
  readonly kubeconfig: string | undefined;
  /** A name or a glob; undefined: the current context. */
  readonly context: string | undefined;
  /** A glob. */
  readonly allContexts: string | undefined;
  readonly as: string | undefined;
  readonly idTemplate: string | undefined;
}

/** The contexts to import. */
export interface ImportPlan {
  readonly config: Kubeconfig;
  readonly contexts: readonly NamedContext[];
  /** True if the ids come from the template, so that they are printed. */
  readonly areIdsMade: boolean;
}

/**
 * Reads the kubeconfig and names the chosen contexts. Throws CONFIG_INVALID if no context matches, or if ids are
 * invalid or equal.
 */
export async function planImports(
  choice: ImportChoice,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ImportPlan> {
  const { as, idTemplate = defaultIdTemplate } = choice;
  const problem = checkIdTemplate(idTemplate);
  if (problem !== undefined) throw new FlotillaError("CONFIG_INVALID", `--id-template ${quote(idTemplate)} ${problem}`);
  const config = await loadKubeconfig({ file: choice.kubeconfig, environment });
  const names = chooseContexts(config, choice);
  if (as === undefined) return { config, contexts: nameContexts(names, idTemplate), areIdsMade: true };
  if (names.length > 1)
    throw new FlotillaError("CONFIG_INVALID", `--as names one cluster, but ${names.length} contexts were chosen`);
  return { config, contexts: names.map((context) => ({ context, id: as })), areIdsMade: false };
}

function chooseContexts(config: Kubeconfig, { context, allContexts }: ImportChoice): readonly string[] {
  if (context !== undefined && allContexts !== undefined)
    throw new FlotillaError("CONFIG_INVALID", "--context and --all-contexts exclude each other; give one of them");
  const isGlob = context !== undefined && !config.contexts.has(context) && /[*?]/.test(context);
  const glob = allContexts ?? (isGlob ? context : undefined);
  if (glob === undefined) return [findContext(config, context)];
  const names = selectContexts(config, glob);
  if (names.length > 0) return names;
  throw new FlotillaError(
    "CONFIG_INVALID",
    `no context matches ${quote(glob)}; \`kubectl config get-contexts\` lists the contexts`,
  );
}

/** The named context, or the current one. `resolveContext` throws for a missing one, with the existing names. */
function findContext(config: Kubeconfig, context: string | undefined): string {
  const name = context ?? config.currentContext;
  return name !== undefined && config.contexts.has(name) ? name : resolveContext(config, name).name;
}
