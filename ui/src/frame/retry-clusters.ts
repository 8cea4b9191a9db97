// SPDX-License-Identifier: Apache-2.0
import { countWords } from "../words/count-words.ts";

/** What the hub answers of one cluster: whether its agent was asked, and one sentence. */
export interface RetryAnswer {
  readonly wasAsked: boolean;
  readonly sentence: string;
}

/** How a cluster is retried, and how a call that failed is said. */
export interface RetryCalls {
  readonly retry: (id: string) => Promise<RetryAnswer>;
  readonly failureSentence: (reason: unknown) => string;
}

/** Calls under way together (PG19): an incident may be of a thousand clusters, and a browser has six connections to the hub. */
const maxCallCount = 20;

/** Retries every cluster, a bounded number at a time, and says in a few sentences what came of it. Never rejects. */
export async function retryClusters(ids: readonly string[], { retry, failureSentence }: RetryCalls): Promise<string> {
  const waiting = ids.values();
  const answers: RetryAnswer[] = [];
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (const id of waiting) {
      try {
        answers.push(await retry(id));
      } catch (reason) {
        failures.push(failureSentence(reason));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxCallCount, ids.length) }, work));
  return sayTogether(answers, failures);
}

function sayTogether(answers: readonly RetryAnswer[], failures: readonly string[]): string {
  const [firstAnswer] = answers;
  const [firstFailure] = failures;
  if (answers.length + failures.length === 1) return firstAnswer?.sentence ?? firstFailure ?? "";
  const askedCount = answers.filter(({ wasAsked }) => wasAsked).length;
  const awayCount = answers.length - askedCount;
  const parts = [
    askedCount === 0 ? "" : `${countWords(askedCount, "agent was", "agents were")} asked to try now.`,
    awayCount === 0
      ? ""
      : awayCount === 1
        ? "1 agent is not connected and dials the hub by itself."
        : `${countWords(awayCount)} agents are not connected and dial the hub by themselves.`,
    firstFailure === undefined ? "" : `${countWords(failures.length, "cluster")} could not be retried: ${firstFailure}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}
