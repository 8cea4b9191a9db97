// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import type { JoinStep, WatchJoinResponse } from "../../../../src/gen/flotilla/fleet/v1/join_pb.ts";
import { useHop } from "../../app/page-context.ts";
import { failureSentence, joinCodeService } from "../../app/services.ts";
import { StateShape } from "../../parts/state-shape.tsx";
import type { ShownState } from "../../words/connection-words.ts";
import styles from "./add-cluster.module.css";

/** The progress of a join. The watch restarts when the hub is connected again. */
export function JoinSteps({ id, clusterId }: { readonly id: string; readonly clusterId: string }): ReactNode {
  const isHubOpen = useHop().kind === "open";
  const [shown, setShown] = useState<WatchJoinResponse>();
  const [failure, setFailure] = useState("");
  useEffect(() => {
    if (!isHubOpen) return undefined;
    const ending = new AbortController();
    const show = (message: WatchJoinResponse): void => {
      setShown(message);
      setFailure("");
    };
    followJoin(id, show, ending.signal).catch((reason: unknown) => {
      if (!ending.signal.aborted) setFailure(failureSentence(reason));
    });
    return () => ending.abort();
  }, [id, isHubOpen]);
  const steps = shown?.steps ?? [];
  const isLive = steps.length > 0 && steps.every(({ state }) => state === "done");
  return (
    <>
      <ol className={styles["steps"]} aria-label="Steps of the join" aria-live="polite">
        {steps.map((step) => (
          <Step key={step.name} step={step} />
        ))}
      </ol>
      {isLive && (
        <p>
          <Link to="/clusters/$name" params={{ name: clusterId }} className={styles["button"]}>
            Open {clusterId}
          </Link>
        </p>
      )}
      <p role="alert" className={styles["failure"]}>
        {failure}
      </p>
    </>
  );
}

/** Shows each message with steps until the join is over. Rejects when the stream breaks. */
async function followJoin(id: string, show: (message: WatchJoinResponse) => void, signal: AbortSignal): Promise<void> {
  for await (const message of joinCodeService.watchJoin({ id }, { signal })) {
    if (message.steps.length > 0) show(message);
  }
}

/** The shapes of steps: those of connections, known from the fleet. */
const shapes: Readonly<Record<string, ShownState>> = { done: "live", waiting: "neverSeen", stopped: "rejected" };

function Step({ step }: { readonly step: JoinStep }): ReactNode {
  return (
    <li data-step={step.name} data-state={step.state}>
      <p>
        <StateShape state={shapes[step.state] ?? "unknown"} /> {step.sentence}
        <span className="hidden-text"> ({step.state})</span>
      </p>
      {step.hints.length > 0 && (
        <ul className={styles["hints"]}>
          {step.hints.map(({ sentence, command }) => (
            <li key={sentence}>
              {sentence} {command !== "" && <code>{command}</code>}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
