// SPDX-License-Identifier: Apache-2.0
// Rules over more than one option.
import type { OptionValue } from "./option.ts";

/** Values by option name. Options that the verb does not have, or whose own value is wrong, are missing. */
export type ValuesByName = ReadonlyMap<string, OptionValue | undefined>;

/** A broken rule: the option to report, and the words that follow its name. */
export interface BrokenRule {
  readonly option: string;
  readonly problem: string;
}

/** Every rule that these values break. `given` contains the options set by flag, variable or file. */
export function findBrokenRules(values: ValuesByName, given: ReadonlySet<string>): readonly BrokenRule[] {
  return [
    ...checkPairs(values),
    ...checkPorts(values),
    ...checkOrder(values),
    ...checkNeeds(values, given),
    ...checkGitops(values, given),
  ];
}

/** Options that need another option's value. Given without it they are refused, never ignored (CL22). */
const needs: readonly {
  readonly option: string;
  readonly of: string;
  readonly is: boolean;
  readonly problem: string;
}[] = [
  {
    option: "join-ttl",
    of: "token-only",
    is: true,
    problem: "works only with --token-only; a join URL is valid for ten minutes",
  },
  {
    option: "description",
    of: "token-only",
    is: true,
    problem: "works only with --token-only; a join URL has no description",
  },
  {
    option: "wait",
    of: "token-only",
    is: false,
    problem: "does not work with --token-only; remove one of the two",
  },
];

function checkNeeds(values: ValuesByName, given: ReadonlySet<string>): readonly BrokenRule[] {
  return needs.filter(({ option, of, is }) => given.has(option) && values.has(of) && values.get(of) !== is);
}

/** Options of the collector without the management cluster that they are about. */
function checkGitops(values: ValuesByName, given: ReadonlySet<string>): BrokenRule[] {
  if (!values.has("gitops-kubeconfig") || values.get("gitops-kubeconfig") !== undefined) return [];
  return ["gitops-context", "gitops-namespaces", "gitops-interval"]
    .filter((option) => given.has(option))
    .map((option) => ({ option, problem: "is given without gitops-kubeconfig" }));
}

/** Options that are valid only together. */
const pairs: readonly (readonly [string, string])[] = [
  ["tls-cert-file", "tls-key-file"],
  ["webhook-url", "webhook-secret"],
];

function checkPairs(values: ValuesByName): BrokenRule[] {
  return pairs.flatMap(([one, other]) => {
    if (!values.has(one) || !values.has(other)) return [];
    const [hasOne, hasOther] = [values.get(one) !== undefined, values.get(other) !== undefined];
    if (hasOne === hasOther) return [];
    const [given, missing] = hasOne ? [one, other] : [other, one];
    return [{ option: given, problem: `is given without ${missing}; give both or neither` }];
  });
}

/** Pairs of options: the first must not be more than the second, or must be less if `isStrict`. */
const ordered: readonly { readonly less: string; readonly more: string; readonly isStrict?: true }[] = [
  { less: "min-sync-interval", more: "sync-interval" },
  { less: "sync-interval", more: "max-sync-interval" },
  { less: "min-sync-interval", more: "max-sync-interval" },
  { less: "retry-first", more: "retry-cap" },
  { less: "reconnect-first", more: "reconnect-cap" },
  { less: "health-timeout", more: "health-interval", isStrict: true },
];

function checkOrder(values: ValuesByName): BrokenRule[] {
  return ordered.flatMap(({ less, more, isStrict }) => {
    const [low, high] = [values.get(less), values.get(more)];
    if (typeof low !== "number" || typeof high !== "number") return [];
    if (low < high || (low === high && isStrict !== true)) return [];
    return [
      { option: less, problem: isStrict === true ? `must be less than ${more}` : `must not be more than ${more}` },
    ];
  });
}

/** Two listeners cannot share a port; port 0 means any free port and may repeat. */
function checkPorts(values: ValuesByName): BrokenRule[] {
  const seen = new Map<OptionValue, string>();
  const broken: BrokenRule[] = [];
  for (const option of ["port", "http-port", "admin-port"]) {
    const port = values.get(option);
    if (port === undefined || port === 0) continue;
    const other = seen.get(port);
    if (other === undefined) seen.set(port, option);
    else broken.push({ option, problem: `is the same port as ${other}` });
  }
  return broken;
}
