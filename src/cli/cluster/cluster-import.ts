// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import { type Cluster, ClusterService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { anonymousUser, type ClusterAccess } from "../../kube/credentials/cluster-access.ts";
import { resolveContext } from "../../kube/credentials/parse-kubeconfig.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import type { NamedContext } from "./context-id.ts";
import type { AccountToken } from "./create-import-account.ts";
import type { ImportPlan } from "./plan-imports.ts";
import { toClusterObject } from "./print-cluster.ts";
import { removalCommand } from "./removal-command.ts";
import { assertNoProgram, toSelfContained } from "./self-contained-kubeconfig.ts";

/** Metadata for every imported cluster. */
export interface ImportMetadata {
  readonly region: string;
  readonly environment: string;
  /** `KEY=VALUE`. */
  readonly labels: readonly string[];
}

/**
 * Creates a service account in the cluster with the operator's credential, and resolves with its token. `onMade` is
 * called once the first object is created.
 */
export type CreateAccount = (access: ClusterAccess, onMade: () => void, signal: AbortSignal) => Promise<AccountToken>;

export interface ImportOptions {
  readonly metadata: ImportMetadata;
  /** Undefined: the hub gets the context's own credential. */
  readonly createAccount: CreateAccount | undefined;
}

/**
 * Contexts imported in parallel: exec plugins start a program each, and a hanging cluster should not delay the others.
 */
const workerCount = 4;

type Outcome =
  | { readonly kind: "imported"; readonly cluster: Cluster; readonly notes: readonly string[] }
  | { readonly kind: "failed"; readonly error: FlotillaError; readonly hasAccount: boolean }
  | { readonly kind: "stopped"; readonly hasAccount: boolean };

/**
 * Imports each context: checks with the hub, creates the account, and sends the hub only server, CA and token. A
 * failing context does not stop the others; all failures are reported, and then it throws. After the signal aborts no
 * further context is started, and the results so far are reported.
 */
export async function importClusters(call: HubCall, plan: ImportPlan, options: ImportOptions): Promise<void> {
  const { io, output, signal } = call;
  const { contexts } = plan;
  if (output === "text" && plan.areIdsMade)
    for (const { context, id } of contexts)
      if (context !== id) say(io, toTerminalText(`context ${context} becomes cluster ${id}`));
  const outcomes = new Map<NamedContext, Outcome>();
  const waiting = [...contexts];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
      outcomes.set(next, await importOne(call, plan, options, next));
  };
  await Promise.all(Array.from({ length: Math.min(workerCount, contexts.length) }, work));
  const [only] = outcomes.values();
  if (contexts.length === 1 && only?.kind === "failed" && !only.hasAccount) throw only.error;
  await report(call, contexts, outcomes);
}

async function importOne(
  call: HubCall,
  { config }: ImportPlan,
  options: ImportOptions,
  { context, id }: NamedContext,
): Promise<Outcome> {
  const { transport, signal } = call;
  const client = createClient(ClusterService, transport);
  const { region, environment } = options.metadata;
  const labels = Object.fromEntries(options.metadata.labels.map((pair) => splitPair(pair)));
  const wish = { id, region, environment, labels };
  const step = progress(call, id);
  let hasAccount = false;
  try {
    if (options.createAccount === undefined) assertNoProgram(config, context);
    const access = resolveContext(config, context);
    const notes: string[] = [];
    let { user } = access;
    if (options.createAccount !== undefined) {
      step("checking with the hub");
      const bare = await toSelfContained({ ...access, user: anonymousUser });
      await client.importCluster({ ...wish, kubeconfig: bare, isCheck: true }, { signal });
      step("creating the service account");
      const onMade = (): void => {
        hasAccount = true;
      };
      const token = await options.createAccount(access, onMade, signal);
      if (token.expiresAt !== undefined)
        notes.push(`its token expires at ${token.expiresAt}; import it again before that`);
      user = { ...anonymousUser, token: token.text };
    }
    step("sending the credential to the hub");
    const kubeconfig = await toSelfContained({ ...access, user });
    const { cluster, unreached } = await client.importCluster({ ...wish, kubeconfig }, { signal });
    if (cluster === undefined) throw new FlotillaError("MALFORMED", "the hub answered without the cluster");
    if (unreached !== "") notes.push(`does not answer yet: ${unreached}; it is connected as soon as it answers`);
    return { kind: "imported", cluster, notes };
  } catch (reason) {
    if (isCancellation(signal, reason) || signal.aborted) return { kind: "stopped", hasAccount };
    return { kind: "failed", error: toFlotillaError(reason), hasAccount };
  }
}

/** Prints progress if standard error is a terminal. */
function progress({ io, output }: HubCall, id: string): (doing: string) => void {
  if (!io.stderr.isTerminal || output !== "text") return () => undefined;
  return (doing) => say(io, toTerminalText(`${id}: ${doing}`));
}

async function report(
  { io, output, signal }: HubCall,
  contexts: readonly NamedContext[],
  outcomes: ReadonlyMap<NamedContext, Outcome>,
): Promise<void> {
  const imported: Cluster[] = [];
  const failures: FlotillaError[] = [];
  const reported: { context: string; id: string; code: string; message: string }[] = [];
  const lines: string[] = [];
  for (const named of contexts) {
    const { context, id } = named;
    const outcome = outcomes.get(named);
    if (outcome?.kind === "imported") {
      imported.push(outcome.cluster);
      lines.push(...outcome.notes.map((note) => `${id} ${note}`));
      continue;
    }
    if (outcome?.kind === "failed") failures.push(outcome.error);
    const message =
      outcome?.kind === "failed" ? outcome.error.message : outcome === undefined ? "not started" : "stopped";
    const stays =
      outcome?.hasAccount === true
        ? `; its service account may remain, delete it with: ${removalCommand("kubeconfig", context)}`
        : "";
    reported.push({
      context,
      id,
      code: outcome?.kind === "failed" ? outcome.error.code : "",
      message: message + stays,
    });
    lines.push(`${id}: ${message}${stays}`);
  }
  imported.sort((a, b) => (a.id < b.id ? -1 : 1));
  const text = imported.map(({ id }) => `${toTerminalText(id)} is imported\n`).join("");
  const value = { clusters: imported.map(toClusterObject), failures: reported };
  if (imported.length > 0 || output !== "text") await printResult(io.stdout, output, { value, text });
  for (const line of lines) say(io, toTerminalText(line));
  if (signal.aborted) say(io, `stopped: ${imported.length} of ${contexts.length} clusters were imported`);
  const [first] = failures;
  if (first === undefined) return;
  throw new FlotillaError(first.code, `${failures.length} of ${contexts.length} clusters were not imported`);
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
}
