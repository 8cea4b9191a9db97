// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../../src/model/subject.ts";
import type { RequestAttributes } from "../../../src/rbac/attributes.ts";
import type { Policy } from "../../../src/rbac/policy.ts";
import { compileVisibility } from "../../../src/rbac/testing/compile-visibility.ts";
import { isVisible } from "../../../src/rbac/visibility.ts";
import { requestsFor } from "../../../src/rbac/visibility-requests.ts";
import type { KubeClient } from "../kube-client.ts";
import { runBounded } from "../run-bounded.ts";
import { type AccessAnswer, reviewAccess } from "./access-review.ts";
import { findDifference } from "./compare-verdicts.ts";
import { places, type Round } from "./random-round.ts";

/** Reviews under way at once: enough to keep a server on two cores busy. */
export const reviewsInFlight = 16;

/** One question and the server's answer to it. */
export interface Asked {
  readonly user: Subject;
  readonly request: RequestAttributes;
  readonly answer: AccessAnswer;
}

function keyOf(user: Subject, request: RequestAttributes): string {
  return JSON.stringify([user, request]);
}

/** Asks the server every single request of the round, each once. */
export async function askRound(client: KubeClient, round: Round): Promise<readonly Asked[]> {
  const viewed = round.viewed.flatMap(({ user, scope }) =>
    places.flatMap((place) => requestsFor(scope, place).map((request) => [user, request] as const)),
  );
  const distinct = new Map(
    [...round.asked, ...viewed].map(([user, request]) => [keyOf(user, request), { user, request }]),
  );
  return runBounded([...distinct.values()], reviewsInFlight, async ({ user, request }) => ({
    user,
    request,
    answer: await reviewAccess(client, user, request),
  }));
}

/** One line for each question that we would answer otherwise. */
export function findDifferences(policy: Policy, asked: readonly Asked[]): readonly string[] {
  return asked.flatMap(({ user, request, answer }) => findDifference(policy, user, request, answer) ?? []);
}

/** One line for each object whose visibility, compiled from our policy, is not what the server's answers come to. */
export function findMisjudged(policy: Policy, round: Round, asked: readonly Asked[]): readonly string[] {
  const allowed = new Set(asked.flatMap(({ user, request, answer }) => (answer.allowed ? keyOf(user, request) : [])));
  return round.viewed.flatMap(({ user, scope }) => {
    const visibility = compileVisibility(policy, user, scope);
    return places.flatMap((place) => {
      const isShown = requestsFor(scope, place).some((request) => allowed.has(keyOf(user, request)));
      const isSame = isVisible(visibility, place.namespace, place.name) === isShown;
      return isSame ? [] : JSON.stringify({ user, scope, place, isShown });
    });
  });
}
