// SPDX-License-Identifier: Apache-2.0

/** The authorizers of a cluster: RBAC alone, others beside it, or not known. */
export type ClusterAuthorizers = "rbac" | "other" | "unknown";

/**
 * Clusters that may have other authorizers than RBAC: `rbacFirst` shows what RBAC allows and marks it as possibly
 * incomplete, `closed` shows nothing.
 */
export type AuthorizerMode = "rbacFirst" | "closed";

/** How a sample of the cluster's own access reviews differs from our answers. */
export type GrantsDrift = "none" | "shownButDenied" | "hiddenButAllowed";

/** What is known of the RBAC objects of a cluster. */
export interface GrantsFacts {
  /** False until all four RBAC kinds of the cluster were collected completely (L2). */
  readonly isRbacComplete: boolean;
  /** The age of the cluster's rows; omitted while they are current. */
  readonly rowsAgeMs?: number;
  /** By how much the RBAC rows are older than the other rows. */
  readonly grantsBehindMs: number;
  /** The bound of `grantsBehindMs` (L17). */
  readonly boundMs?: number;
  readonly authorizers: ClusterAuthorizers;
  readonly mode: AuthorizerMode;
  readonly drift: GrantsDrift;
}

/** Why the rows of a cluster are withheld. Programs branch on it, never on the sentence. */
export type WithheldCause = "rbacIncomplete" | "shownButDenied" | "grantsBehind" | "otherAuthorizers";

/** Why the rows of a cluster may be fewer than the user may see there. */
export type IncompleteCause = "hiddenButAllowed" | "otherAuthorizers" | "unknownAuthorizers";

/** Whether the rows of a cluster are shown to users by its grants. Each sentence is for users. */
export type GrantsJudgement =
  | { readonly kind: "open" }
  | { readonly kind: "open"; readonly mayBeIncomplete: string; readonly cause: IncompleteCause }
  | { readonly kind: "withheld"; readonly reason: string; readonly cause: WithheldCause };

/** The default of L17. */
export const defaultGrantsBoundMs = 150_000;

const incompleteSentences: Readonly<Record<IncompleteCause, string>> = {
  hiddenButAllowed:
    "The cluster allows requests that its RBAC objects do not allow, so it may show you more than this list.",
  otherAuthorizers:
    "The cluster has authorizers besides RBAC, and only its RBAC objects are evaluated, so the list may be incomplete.",
  unknownAuthorizers:
    "It is not known whether RBAC is the only authorizer of the cluster, so the list may be incomplete.",
};

/**
 * Decides by the state of a cluster's grants whether its rows are shown. A cluster that is away as a whole stays open:
 * its rows and grants are of the same moment. A number that is not comparable withholds (L16).
 */
export function judgeGrants(facts: GrantsFacts): GrantsJudgement {
  const { boundMs = defaultGrantsBoundMs, authorizers, mode, drift, grantsBehindMs } = facts;
  if (!facts.isRbacComplete) {
    return withheld(
      "rbacIncomplete",
      "The cluster's RBAC objects are not completely collected; no row is shown before they are.",
    );
  }
  if (drift === "shownButDenied") {
    return withheld(
      "shownButDenied",
      "The cluster denies requests that its RBAC objects allow; no row is shown until both agree again.",
    );
  }
  if (!(grantsBehindMs < boundMs)) return withheld("grantsBehind", behindSentence(facts, boundMs));
  if (mode === "closed" && authorizers !== "rbac") {
    const fault = authorizers === "other" ? "has authorizers besides RBAC" : "may have authorizers besides RBAC";
    return withheld("otherAuthorizers", `The cluster ${fault}, and the hub is configured to show no row then.`);
  }
  if (drift === "hiddenButAllowed") return incomplete("hiddenButAllowed");
  if (authorizers === "rbac") return { kind: "open" };
  return incomplete(authorizers === "other" ? "otherAuthorizers" : "unknownAuthorizers");
}

function behindSentence({ grantsBehindMs, rowsAgeMs }: GrantsFacts, boundMs: number): string {
  const behind = Number.isFinite(grantsBehindMs) ? `${seconds(grantsBehindMs)} older` : "older by an unknown time";
  const age = rowsAgeMs === undefined ? "" : `, which are ${seconds(rowsAgeMs)} old`;
  const bound = `the bound is ${seconds(boundMs)}, and no row is shown until they are current again`;
  return `The cluster's RBAC objects are ${behind} than its rows${age}; ${bound}.`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}

function withheld(cause: WithheldCause, reason: string): GrantsJudgement {
  return { kind: "withheld", reason, cause };
}

function incomplete(cause: IncompleteCause): GrantsJudgement {
  return { kind: "open", mayBeIncomplete: incompleteSentences[cause], cause };
}
