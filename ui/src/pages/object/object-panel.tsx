// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useFleet } from "../../app/page-context.ts";
import { failureSentence, queryService } from "../../app/services.ts";
import { useKey } from "../../frame/keys.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { PanelHead } from "../../parts/panel-head.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { shownState } from "../../words/connection-words.ts";
import { countWords } from "../../words/count-words.ts";
import { type ObjectAddress, objectName } from "./object-address.ts";
import styles from "./object-panel.module.css";
import { ObjectPanelReader, readLimitMs } from "./object-panel-reader.ts";
import { printObject } from "./object-text.ts";
import { ObjectText } from "./object-text-view.tsx";
import { localWallMs, ReadAge } from "./read-age.tsx";

/** Shown for an address below an object route that names no object. */
export function NoObject(): ReactNode {
  return (
    <p role="alert" className={styles["none"]}>
      This address names no object: it must end with NAMESPACE/NAME, or with NAME alone.
    </p>
  );
}

/**
 * One object as its cluster has it: read when opened and on request, never automatically. Each object needs its own
 * `key`.
 */
export function ObjectPanel({
  address,
  onClose,
}: {
  readonly address: ObjectAddress;
  readonly onClose: () => void;
}): ReactNode {
  const panel = useRef<HTMLElement>(null);
  const reader = useReader(address);
  const { isReading, read, failure } = useSyncExternalStore(reader.listen, reader.getReading);
  const { cluster, resource } = address;
  const kind = read?.object.kind || resource;
  const managerCount = read?.object.managerCount ?? 0;
  const [isManagedShown, setManagedShown] = useState(false);
  const text = useMemo(
    () => (read === undefined ? "" : printObject(read.object, isManagedShown)),
    [read, isManagedShown],
  );
  const readAgain = (): void => {
    if (!isReading) void reader.read();
  };
  useKey("Escape", "Close the object", onClose);
  useKey("r", "Read the object again", readAgain);
  // Keyboard users continue here, and screen readers announce the panel.
  useEffect(() => panel.current?.focus(), []);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      className={styles["panel"]}
      aria-label={`${kind} ${objectName(address)} of ${cluster}`}
      data-object-panel={objectName(address)}
    >
      <PanelHead onClose={onClose}>
        <span className={styles["kind"]}>{kind}</span> <span className="mono">{objectName(address)}</span>
      </PanelHead>
      <ClusterLine cluster={cluster} />
      <div className={styles["tools"]}>
        {read !== undefined && <ReadAge atMs={read.atMs} />}
        <button type="button" className={styles["again"]} aria-disabled={isReading} onClick={readAgain}>
          {isReading ? "Reading" : "Read again"}
        </button>
        {read !== undefined && <CopyButton key={`${read.atMs} ${isManagedShown}`} text={text} />}
        {managerCount > 0 && (
          <button type="button" aria-pressed={isManagedShown} onClick={() => setManagedShown(!isManagedShown)}>
            Show managedFields ({countWords(managerCount)})
          </button>
        )}
      </div>
      <div role="status">
        {isReading && read === undefined && <p className={styles["quiet"]}>Reading it from {cluster}.</p>}
      </div>
      <div role="alert">
        {failure !== "" && (
          <p className={styles["failure"]} data-failure="">
            {read !== undefined && <b>It could not be read again; this is the previous result.</b>}{" "}
            <span>{failure}</span>
          </p>
        )}
      </div>
      {read !== undefined && <ObjectText text={text} isOld={failure !== ""} />}
    </section>
  );
}

/** Reads the object once when mounted, and cancels the call when unmounted. */
function useReader({ cluster, resource, namespace, name }: ObjectAddress): ObjectPanelReader {
  const reader = useMemo(
    () =>
      new ObjectPanelReader({
        call: async (signal) => {
          const { object } = await queryService.getObject({ cluster, kind: resource, namespace, name }, { signal });
          return object;
        },
        deadline: () => AbortSignal.timeout(readLimitMs),
        failureSentence,
        nowMs: localWallMs,
      }),
    [cluster, resource, namespace, name],
  );
  useEffect(() => {
    void reader.read();
    return () => reader.close();
  }, [reader]);
  return reader;
}

/** The object's cluster with its state, and the reason if it is not live. */
function ClusterLine({ cluster }: { readonly cluster: string }): ReactNode {
  const fleet = useFleet();
  const known = fleet.kind === "shown" ? fleet.value.clusters.get(cluster) : undefined;
  const state = shownState(known?.connection);
  return (
    <p className={styles["cluster"]}>
      <Link to="/clusters/$name" params={{ name: cluster }} className="mono">
        {cluster}
      </Link>
      {known !== undefined && <StateBadge state={state} isPaused={known.isPaused} />}
      {state !== "live" && known?.connection !== undefined && <span>{known.connection.sentence}</span>}
    </p>
  );
}
