// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useEffect, useState } from "react";
import { usePage } from "../app/page-context.ts";
import { clusterService, failureSentence } from "../app/services.ts";
import { retryClusters } from "./retry-clusters.ts";
import styles from "./retry-now.module.css";

/** How long it is said what came of it: as long as an incident that ended (PG19). Later "now" is no longer true. */
const saidMs = 10_000;

/** Has the agents of these clusters try now, and says what came of it. Nothing for viewers who may not. */
export function RetryNow({ ids }: { readonly ids: readonly string[] }): ReactNode {
  const { viewer } = usePage();
  const [isAsking, setAsking] = useState(false);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return undefined;
    const timer = setTimeout(() => setSaid(""), saidMs);
    return () => clearTimeout(timer);
  }, [said]);
  if (viewer?.canChangeClusters !== true || ids.length === 0) return null;
  const retry = async (): Promise<void> => {
    setAsking(true);
    setSaid("");
    setSaid(await retryClusters(ids, { retry: (id) => clusterService.retryCluster({ id }), failureSentence }));
    setAsking(false);
  };
  return (
    <p className={styles["retry"]} data-retry="">
      <button type="button" disabled={isAsking} onClick={() => void retry()}>
        {isAsking ? "Asking the hub" : "Retry now"}
      </button>
      {said !== "" && <span>{said}</span>}
    </p>
  );
}
