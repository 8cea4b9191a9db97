// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { ExplainAccessResponseSchema, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { toAccessSubject, userField } from "./access-subject.ts";

/** The options of `access explain`. */
export interface ExplainAccessWanted {
  /** USER CLUSTER KIND NAME; with `me` without USER. */
  readonly words: readonly string[];
  readonly me: boolean;
  readonly groups: readonly string[];
  readonly namespace: string;
}

/** Prints why a user sees an object or not: the binding, role and rule, or the missing verb (CL39). */
export async function explainAccess(call: HubCall, wanted: ExplainAccessWanted): Promise<void> {
  const { io, output, transport, signal } = call;
  const { user, cluster, kind, name } = readWords(wanted);
  const subject = toAccessSubject(user, wanted.groups);
  const request = { ...userField(subject), cluster, kind, namespace: wanted.namespace, name };
  const answer = await createClient(QueryService, transport).explainAccess(request, { signal });
  const { isVisible, sentence, binding, role, verb, caveat } = answer;
  const facts = [
    ["visible", isVisible ? "yes" : "no"],
    ["why", sentence],
    ["binding", binding],
    ["role", role],
    ["verb", verb],
    ["note", caveat],
  ];
  const text = facts
    .filter(([, value]) => value !== "")
    .map(([title = "", value = ""]) => `${title.padEnd(8)} ${toTerminalText(value)}\n`)
    .join("");
  await printResult(io.stdout, output, { value: toPlainJson(ExplainAccessResponseSchema, answer), text });
}

interface ExplainedAccess {
  /** "" for the caller. */
  readonly user: string;
  readonly cluster: string;
  readonly kind: string;
  readonly name: string;
}

function readWords({ words, me }: ExplainAccessWanted): ExplainedAccess {
  const expected = me ? "CLUSTER KIND NAME" : "USER CLUSTER KIND NAME";
  const [user = "", cluster = "", kind = "", name = ""] = me ? ["", ...words] : words;
  if (words.length === expected.split(" ").length) return { user, cluster, kind, name };
  const hint = me ? "with --me there is no USER" : "- is yourself";
  throw new FlotillaError("INVALID_ARGUMENT", `the arguments must be ${expected}; ${hint}`);
}
