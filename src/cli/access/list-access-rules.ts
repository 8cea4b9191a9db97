// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { type AccessRule, AccessRuleSchema, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { renderTable } from "../output/text-table.ts";
import { requireComplete, toCoverageObject } from "../query/coverage-line.ts";
import { toAccessSubject, userField } from "./access-subject.ts";

/** The options of `access rules`. */
export interface AccessRulesWanted {
  /** "" or `-` = the caller. */
  readonly user: string;
  readonly groups: readonly string[];
  /** Globs; empty = all. */
  readonly clusters: readonly string[];
  readonly isWide: boolean;
}

/**
 * Prints what a user may see in each cluster, one line per rule (Q-38, CL39). Throws PARTIAL after the output if the
 * rules of some clusters are missing or not current (CL33).
 */
export async function listAccessRules(call: HubCall, wanted: AccessRulesWanted): Promise<void> {
  const { io, output, transport, signal } = call;
  const subject = toAccessSubject(wanted.user, wanted.groups);
  const request = { ...userField(subject), clusters: [...wanted.clusters] };
  const { rules, coverage } = await createClient(QueryService, transport).listAccessRulesForUser(request, { signal });
  const titles = ["CLUSTER", "ROLE", "NAMESPACE", "ACCESSIBLE KINDS", ...(wanted.isWide ? wideTitles : [])];
  const rows = rules.map((rule) => [...toRuleRow(rule), ...(wanted.isWide ? toWideCells(rule) : [])]);
  await printResult(io.stdout, output, {
    value: {
      rules: rules.map((rule) => toPlainJson(AccessRuleSchema, rule)),
      coverage: toCoverageObject(coverage),
    },
    text: rows.length === 0 ? "no rule lets this user see an object\n" : renderTable(titles, rows),
  });
  requireComplete(coverage);
}

/** `*` is the whole cluster. */
function toRuleRow({ cluster, role, namespace, accessibleKinds }: AccessRule): string[] {
  return [cluster, role, namespace === "" ? "*" : namespace, accessibleKinds.join(",")];
}

const wideTitles = ["BINDING", "SUBJECT", "NAMES"] as const;

function toWideCells({ binding, bindingKind, subject, resourceNames }: AccessRule): string[] {
  return [`${bindingKind}/${binding}`, subject, resourceNames.length === 0 ? "*" : resourceNames.join(",")];
}
