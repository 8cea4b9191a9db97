// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useEffect, useState } from "react";
import { usePage } from "../app/page-context.ts";
import { clusterService, failureSentence } from "../app/services.ts";
import { retryClusters } from "./retry-clusters.ts";
import styles from "./retry-now.module.css";

/** Time for which the result is shown: as long as an ended incident (PG19). After that "now" is no longer true. */
const resultMs = 10_000;

/** Asks the agents of these clusters to retry now and shows the result. Empty for viewers without permission. */
export function RetryNow({ ids }: { readonly ids: readonly string[] }): ReactNode {
  const { viewer } = usePage();
  const [isAsking, setAsking] = useState(false);
  const [result, setResult] = useState("");
  useEffect(() => {
    if (result === "") return undefined;
    const timer = setTimeout(() => setResult(""), resultMs);
    return () => clearTimeout(timer);
  }, [result]);
  if (viewer?.canChangeClusters !== true || ids.length === 0) return null;
  const retry = async (): Promise<void> => {
    setAsking(true);
    setResult("");
    setResult(await retryClusters(ids, { retry: (id) => clusterService.retryCluster({ id }), failureSentence }));
    setAsking(false);
  };
  return (
    <p className={styles["retry"]} data-retry="">
      <button type="button" disabled={isAsking} onClick={() => void retry()}>
        {isAsking ? "Retrying" : "Retry now"}
      </button>
      {result !== "" && <span>{result}</span>}
    </p>
  );
}
