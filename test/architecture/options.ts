// SPDX-License-Identifier: Apache-2.0
// Options are promises: each is read by the program, and seen to act by a test of the running system or of the part
// that it sets.
import { fieldNameOf, type OptionSpec, variableNameOf } from "../../src/main/config/option.ts";
import type { Violation } from "./source-tree.ts";

/** A file as it was read. */
export interface NamedText {
  readonly path: string;
  readonly text: string;
}

/**
 * For options that no test of the running system spells out: the test of the part that they set, or the one that gives
 * their letter, by path.
 */
export const provenByParts: Readonly<Record<string, string>> = {
  "drain-timeout": "test/integration/rpc-drain.test.ts",
  "change-retention": "src/hub/hub.test.ts",
  "history-retention": "src/hub/hub.test.ts",
  "audit-retention": "src/hub/audit/audit-log.test.ts",
  "max-cluster-kinds": "src/hub/sessions/session-limits.test.ts",
  "max-cluster-size": "src/hub/sessions/session-limits.test.ts",
  "agent-image": "src/cli/print-agent-manifest.test.ts",
  "agent-image-pull-secrets": "src/cli/print-agent-manifest.test.ts",
  "id-template": "src/cli/cluster/context-id.test.ts",
  "encrypted-resources": "test/integration/store-encryption.test.ts",
  "admission-rate": "src/session/hub/admission.test.ts",
  "first-syncs": "src/session/hub/first-syncs.prop.test.ts",
  "ingest-budget": "src/session/hub/credit-budget.test.ts",
  "stale-after": "src/health/thresholds.test.ts",
  "webhook-url": "src/hub/health/webhook.test.ts",
  "webhook-secret": "src/hub/health/webhook.test.ts",
  namespaces: "src/kube/reflector/scope/run-scoped.test.ts",
  "retry-limit": "src/kube/reflector/run-reflector-failures.test.ts",
  "reconnect-first": "src/agent/uplink/reconnect.test.ts",
  "reconnect-stable": "src/agent/uplink/reconnect.test.ts",
  "backoff-factor": "src/base/time/backoff.test.ts",
  "page-size": "src/kube/reflector/run-reflector.test.ts",
  "max-object-size": "src/kube/reflector/run-reflector-failures.test.ts",
  "watch-silence": "src/kube/reflector/run-reflector.test.ts",
  "discovery-interval": "src/agent/collector/collector.test.ts",
  "join-secret": "src/cli/print-agent-manifest.test.ts",
  ttl: "src/cli/tokens/token-create.test.ts",
  cursor: "src/cli/tokens/token-watch.test.ts",
  "with-keys": "test/integration/backup.test.ts",
  "cluster-identities": "src/hub/access/cluster-identities.test.ts",
  "authorizer-mode": "src/hub/access/grants-monitor.test.ts",
  "access-samples": "src/hub/access-drift/access-drift.test.ts",
  "access-reviews": "src/agent/access-samples/access-reviewer.test.ts",
  "viewer-groups": "src/agent/manifest/agent-manifest.test.ts",
  "include-deleted": "src/main/verbs/query-verbs.test.ts",
  filename: "src/main/verbs/query-verbs.test.ts",
  "standing-queries-per-owner": "src/hub/saved-queries/saved-query-service.test.ts",
  "allow-loopback-webhooks": "src/main/hub/send-standing-webhook.http.test.ts",
  private: "src/main/verbs/saved-query-verbs.test.ts",
  columns: "src/main/verbs/saved-query-verbs.test.ts",
  owner: "src/main/verbs/saved-query-verbs.test.ts",
  "all-owners": "src/main/verbs/saved-query-verbs.test.ts",
  above: "src/main/verbs/saved-query-verbs.test.ts",
  "clear-at": "src/main/verbs/saved-query-verbs.test.ts",
  "signing-secret": "src/main/verbs/saved-query-verbs.test.ts",
};

/** Options whose field no file outside of the configuration reads: they would do nothing. */
export function findUnread(options: readonly OptionSpec[], sources: readonly NamedText[]): Violation[] {
  return options
    .filter((option) => !sources.some(({ text }) => new RegExp(`\\b${fieldNameOf(option)}\\b`).test(text)))
    .map(({ name }) => violation(name, "nothing reads it"));
}

/**
 * Options that no test sets: neither one of the running system, by flag, variable or as a key, nor the one that is
 * listed.
 */
export function findUnseen(
  options: readonly OptionSpec[],
  running: readonly NamedText[],
  isFile: (path: string) => boolean,
): Violation[] {
  return options.flatMap((option) => {
    const { name } = option;
    const forms = [`--(?:no-)?${name}(?![\\w-])`, `\\b${variableNameOf(option)}\\b`, `["']?${name}["']?: ["'\`]`];
    const given = new RegExp(forms.join("|"));
    const isSeen = running.some(({ text }) => given.test(text));
    const part = provenByParts[name];
    if (isSeen)
      return part === undefined ? [] : [violation(name, "a test of the running system sets it: drop its entry")];
    if (part === undefined) return [violation(name, "no test of the running system sets it")];
    return isFile(part) ? [] : [violation(name, `there is no ${part}`)];
  });
}

function violation(name: string, message: string): Violation {
  return { rule: "option", path: "src/main/config", line: 1, message: `--${name}: ${message}` };
}
