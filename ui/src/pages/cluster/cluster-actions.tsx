// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { clusterService, failureSentence } from "../../app/services.ts";
import { useKey } from "../../frame/keys.ts";
import { CopyLine } from "../../parts/copy-line.tsx";
import { Sheet } from "../../parts/sheet.tsx";
import { shownState } from "../../words/connection-words.ts";
import styles from "./cluster-actions.module.css";
import { parseLabels, printLabels, toLabelChange } from "./label-text.ts";

/** The result of an action: a sentence, and a secret that is shown once, if any. */
interface Outcome {
  readonly sentence: string;
  readonly secret?: string;
}

/** An action with its confirmation. */
interface Action {
  readonly title: string;
  readonly question: string;
  /** Text to type as confirmation of an irreversible action. */
  readonly typed?: string;
  readonly run: (text: string) => Promise<Outcome>;
  /** Initial value of an editable text. */
  readonly text?: string;
}

/** The actions on a cluster. Each is confirmed, and its result is shown. */
export function ClusterActions({ cluster }: { readonly cluster: FleetCluster }): ReactNode {
  const navigate = useNavigate();
  const [open, setOpen] = useState<Action>();
  // Removing a cluster closes its panel, so the fleet page shows the result.
  const leave = (notice: string): void => void navigate({ to: "/", search: (before) => before, state: { notice } });
  const actions = actionsOf(cluster, leave);
  useKey(".", "Actions of the cluster", () =>
    document.querySelector<HTMLButtonElement>("[data-actions] button")?.focus(),
  );
  return (
    <div className={styles["actions"]} role="group" aria-label="Actions" data-actions="">
      {actions.map((action) => (
        <button key={action.title} type="button" onClick={() => setOpen(action)}>
          {action.title}
        </button>
      ))}
      {open !== undefined && <ActionSheet action={open} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

function ActionSheet({ action, onClose }: { readonly action: Action; readonly onClose: () => void }): ReactNode {
  const [text, setText] = useState(action.text ?? "");
  const [typed, setTyped] = useState("");
  const [outcome, setOutcome] = useState<Outcome>();
  const [failure, setFailure] = useState("");
  const [isAsking, setAsking] = useState(false);
  const run = async (): Promise<void> => {
    setAsking(true);
    setFailure("");
    try {
      setOutcome(await action.run(text));
    } catch (reason) {
      setFailure(failureSentence(reason));
    } finally {
      setAsking(false);
    }
  };
  return (
    <Sheet title={action.title} onClose={onClose}>
      <form
        className={styles["form"]}
        data-unsaved=""
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {outcome === undefined ? (
          <>
            <p>{action.question}</p>
            {action.text !== undefined && (
              <textarea
                aria-label="Labels"
                rows={5}
                value={text}
                spellCheck={false}
                onChange={({ target }) => setText(target.value)}
              />
            )}
            {action.typed !== undefined && (
              <label>
                Type <code>{action.typed}</code> to confirm{" "}
                <input value={typed} spellCheck={false} onChange={({ target }) => setTyped(target.value)} />
              </label>
            )}
            <p role="alert" className={styles["failure"]}>
              {failure}
            </p>
            <p className={styles["buttons"]}>
              <button type="button" onClick={onClose}>
                Cancel
              </button>
              <button type="submit" disabled={isAsking || (action.typed !== undefined && typed !== action.typed)}>
                {isAsking ? "Working" : action.title}
              </button>
            </p>
          </>
        ) : (
          <>
            <p role="status">{outcome.sentence}</p>
            {outcome.secret !== undefined && <CopyLine text={outcome.secret} />}
            <p className={styles["buttons"]}>
              <button type="button" onClick={onClose}>
                Close
              </button>
            </p>
          </>
        )}
      </form>
    </Sheet>
  );
}

function actionsOf(
  { id, connection, isPaused, isPending, labels, replacedByUid }: FleetCluster,
  leave: (notice: string) => void,
): readonly Action[] {
  const change = async (
    request: Parameters<typeof clusterService.updateCluster>[0],
    sentence: string,
  ): Promise<Outcome> => {
    await clusterService.updateCluster(request);
    return { sentence };
  };
  const retry: Action = {
    title: "Retry now",
    question: `Ask the agent of ${id} to try its API server now, without waiting for its next attempt?`,
    run: async () => {
      const { sentence } = await clusterService.retryCluster({ id });
      return { sentence };
    },
  };
  const isLive = shownState(connection) === "live";
  const pause: Action = isPaused
    ? {
        title: "Resume",
        question: `Follow ${id} again? Its agent resumes from where it stopped.`,
        run: () => change({ id, isPaused: false }, `${id} is followed again.`),
      }
    : {
        title: "Pause",
        question: `Stop following ${id}? Its agent stays connected and sends no rows; the known rows stay, with their age.`,
        run: () => change({ id, isPaused: true }, `${id} is paused.`),
      };
  const approve: Action = {
    title: "Approve",
    question: `Approve ${id}? Its agent waits for this.`,
    run: () => change({ id, approve: true }, `${id} has joined.`),
  };
  const accept: Action = {
    title: "Accept the new cluster",
    question: `Another cluster (uid ${replacedByUid}) uses the name ${id}. Replace the known cluster with it? The rows of the old one are removed.`,
    run: () => change({ id, acceptReplacementUid: replacedByUid }, `${id} is now the cluster ${replacedByUid}.`),
  };
  const relabel: Action = {
    title: "Relabel",
    question: "One label per line, name=value. Labels set by its agent cannot be removed here.",
    text: printLabels(labels),
    run: async (text) => change({ id, ...toLabelChange(labels, parseLabels(text)) }, `${id} has its new labels.`),
  };
  const rotate: Action = {
    title: "Rotate key",
    question: `Create a join token with which the agent of ${id} registers a new key? The running agent keeps the old key, which ends when the new one is first used. To revoke a leaked key at once: flotilla cluster rotate ${id} --revoke.`,
    run: async () => {
      const { joinToken } = await clusterService.rotateKey({ id });
      return {
        sentence: "Put this join token where the agent reads it. It is shown only this once.",
        secret: joinToken,
      };
    },
  };
  const removal: Action = {
    title: "Remove",
    question: `Remove ${id} with its registration, its key, its rows and their history? This cannot be undone.`,
    typed: id,
    run: async () => {
      await clusterService.removeCluster({ id });
      const sentence = `${id} is removed.`;
      leave(sentence);
      return { sentence };
    },
  };
  return [
    ...(isPending ? [approve] : []),
    ...(replacedByUid === "" ? [] : [accept]),
    ...(isLive ? [] : [retry]),
    pause,
    relabel,
    rotate,
    removal,
  ];
}
