// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  type AuthorizerMode,
  type ClusterAuthorizers,
  defaultGrantsBoundMs,
  type GrantsDrift,
  type GrantsFacts,
  type IncompleteCause,
  judgeGrants,
  type WithheldCause,
} from "./judge-grants.ts";

type Expected = "open" | IncompleteCause | `withheld: ${WithheldCause}`;

/** Of a cluster whose RBAC objects are complete and current. */
const whenCurrent: Readonly<
  Record<GrantsDrift, Readonly<Record<AuthorizerMode, Readonly<Record<ClusterAuthorizers, Expected>>>>>
> = {
  none: {
    rbacFirst: { rbac: "open", other: "otherAuthorizers", unknown: "unknownAuthorizers" },
    closed: { rbac: "open", other: "withheld: otherAuthorizers", unknown: "withheld: otherAuthorizers" },
  },
  hiddenButAllowed: {
    rbacFirst: { rbac: "hiddenButAllowed", other: "hiddenButAllowed", unknown: "hiddenButAllowed" },
    closed: { rbac: "hiddenButAllowed", other: "withheld: otherAuthorizers", unknown: "withheld: otherAuthorizers" },
  },
  shownButDenied: {
    rbacFirst: {
      rbac: "withheld: shownButDenied",
      other: "withheld: shownButDenied",
      unknown: "withheld: shownButDenied",
    },
    closed: {
      rbac: "withheld: shownButDenied",
      other: "withheld: shownButDenied",
      unknown: "withheld: shownButDenied",
    },
  },
};

const drifts: readonly GrantsDrift[] = ["none", "shownButDenied", "hiddenButAllowed"];
const modes: readonly AuthorizerMode[] = ["rbacFirst", "closed"];
const authorizers: readonly ClusterAuthorizers[] = ["rbac", "other", "unknown"];
const current: GrantsFacts = {
  isRbacComplete: true,
  grantsBehindMs: 0,
  authorizers: "rbac",
  mode: "rbacFirst",
  drift: "none",
};

const combinations = drifts.flatMap((drift) =>
  modes.flatMap((mode) => authorizers.map((each) => ({ ...current, drift, mode, authorizers: each }))),
);

/** The sentence of a judgement, and what it decides. */
function judged(facts: GrantsFacts): { readonly outcome: Expected; readonly sentence: string } {
  const judgement = judgeGrants(facts);
  if (judgement.kind === "withheld") return { outcome: `withheld: ${judgement.cause}`, sentence: judgement.reason };
  if (!("cause" in judgement)) return { outcome: "open", sentence: "It is open." };
  return { outcome: judgement.cause, sentence: judgement.mayBeIncomplete };
}

describe("[RB72] the grants of a cluster", () => {
  test.each(combinations)("current, drift $drift, mode $mode, authorizers $authorizers", (facts) => {
    const { outcome, sentence } = judged(facts);
    expect(outcome).toBe(whenCurrent[facts.drift][facts.mode][facts.authorizers]);
    expect(sentence).toMatch(/^[A-Z][^\n]*\.$/);
  });

  test("[Q-40] [L17] that are not complete show no row, whatever else is known", () => {
    for (const grantsBehindMs of [0, defaultGrantsBoundMs, Number.NaN]) {
      for (const facts of combinations)
        expect(judged({ ...facts, grantsBehindMs, isRbacComplete: false }).outcome).toBe("withheld: rbacIncomplete");
    }
  });

  test("[Q-43] [L17] that are behind the rows by the bound show no row until they are current again", () => {
    for (const facts of combinations) {
      const expected = facts.drift === "shownButDenied" ? "withheld: shownButDenied" : "withheld: grantsBehind";
      for (const grantsBehindMs of [defaultGrantsBoundMs, Number.POSITIVE_INFINITY, Number.NaN])
        expect(judged({ ...facts, grantsBehindMs }).outcome).toBe(expected);
      for (const grantsBehindMs of [0, defaultGrantsBoundMs - 1])
        expect(judged({ ...facts, grantsBehindMs })).toEqual(judged(facts));
    }
    expect(judged({ ...current, grantsBehindMs: 200_000, rowsAgeMs: 4_000 }).sentence).toBe(
      "The cluster's RBAC objects are 200 s older than its rows, which are 4 s old; " +
        "the bound is 150 s, and no row is shown until they are current again.",
    );
    expect(judged({ ...current, grantsBehindMs: 2_000, boundMs: 1_000 }).outcome).toBe("withheld: grantsBehind");
  });

  test("[L17] of a cluster that is away as a whole stay open, however old the rows are", () => {
    expect(judged({ ...current, rowsAgeMs: 7 * 24 * 3_600_000 }).outcome).toBe("open");
  });
});
