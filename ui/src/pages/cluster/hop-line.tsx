// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import type { Hop, Hops } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { useHop } from "../../app/page-context.ts";
import { Age } from "../../parts/age.tsx";
import { StateShape } from "../../parts/state-shape.tsx";
import type { ShownState } from "../../words/connection-words.ts";
import { reasonWords } from "../../words/incident-words.ts";
import styles from "./hop-line.module.css";

/** The shape of each hop state. Other states are shown as unknown. */
const shapes: ReadonlyMap<string, ShownState> = new Map([
  ["ok", "live"],
  ["degraded", "stale"],
  ["lost", "disconnected"],
]);

/** The three hops between this browser and the cluster's API server, separately (PG22). */
export function HopLine({ hops }: { readonly hops: Hops }): ReactNode {
  const browser = useHop();
  return (
    <ol className={styles["hops"]} aria-label="Hops">
      <li className={styles["hop"]} data-hop="browser" data-state={browser.kind === "open" ? "ok" : "lost"}>
        <h3>browser to hub</h3>
        <p>
          <StateShape state={browser.kind === "open" ? "live" : browser.kind === "lost" ? "disconnected" : "unknown"} />
          {browser.kind === "open" ? "ok" : browser.kind === "lost" ? "lost" : "not known"}
        </p>
        {browser.kind === "lost" && <p className={styles["more"]}>{browser.sentence}</p>}
      </li>
      <HopBox title="hub to agent" name="agent" hop={hops.hubToAgent} />
      <HopBox title="agent to API server" name="api-server" hop={hops.agentToApiServer} />
    </ol>
  );
}

function HopBox({
  title,
  name,
  hop,
}: {
  readonly title: string;
  readonly name: string;
  readonly hop: Hop | undefined;
}): ReactNode {
  const state = shapes.get(hop?.state ?? "") ?? "unknown";
  const reason = hop?.reason ?? "";
  return (
    <li className={styles["hop"]} data-hop={name} data-state={hop?.state}>
      <h3>{title}</h3>
      <p>
        <StateShape state={state} />
        {state === "unknown" ? "not known" : hop?.state}
        {reason !== "" && reason !== "none" && `, ${reasonWords(reason)}`}
        {hop?.sinceMs !== undefined && state !== "live" && <Age atMs={hop.sinceMs} isAlways prefix=" for " />}
      </p>
      {hop?.sentence !== "" && <p className={styles["more"]}>{hop?.sentence}</p>}
      {hop?.facts.map((fact) => (
        <p key={fact} className={styles["fact"]}>
          {fact}
        </p>
      ))}
    </li>
  );
}
