// SPDX-License-Identifier: Apache-2.0
import { countWords } from "../words/count-words.ts";

/** The hub's answer for one cluster: whether its agent was asked, and one sentence. */
export interface RetryOutcome {
  readonly wasAsked: boolean;
  readonly sentence: string;
}

/** Retries one cluster, and describes a failed call. */
export interface RetryCalls {
  readonly retry: (id: string) => Promise<RetryOutcome>;
  readonly failureSentence: (reason: unknown) => string;
}

/**
 * Maximum concurrent calls (PG19): an incident can cover a thousand clusters, and a browser has six connections to the
 * hub.
 */
const maxCallCount = 20;

/** Retries every cluster with bounded concurrency and summarises the results in a few sentences. Never rejects. */
export async function retryClusters(ids: readonly string[], { retry, failureSentence }: RetryCalls): Promise<string> {
  const waiting = ids.values();
  const answers: RetryOutcome[] = [];
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
  return summarise(answers, failures);
}

function summarise(answers: readonly RetryOutcome[], failures: readonly string[]): string {
  const [firstAnswer] = answers;
  const [firstFailure] = failures;
  if (answers.length + failures.length === 1) return firstAnswer?.sentence ?? firstFailure ?? "";
  const askedCount = answers.filter(({ wasAsked }) => wasAsked).length;
  const disconnectedCount = answers.length - askedCount;
  const parts = [
    askedCount === 0 ? "" : `${countWords(askedCount, "agent was", "agents were")} asked to try now.`,
    disconnectedCount === 0
      ? ""
      : disconnectedCount === 1
        ? "1 agent is not connected and dials the hub by itself."
        : `${countWords(disconnectedCount)} agents are not connected and dial the hub by themselves.`,
    firstFailure === undefined ? "" : `${countWords(failures.length, "cluster")} could not be retried: ${firstFailure}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}
