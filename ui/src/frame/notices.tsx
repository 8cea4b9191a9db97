// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFleet, usePage } from "../app/page-context.ts";
import { Age, Countdown } from "../parts/age.tsx";
import { StateShape } from "../parts/state-shape.tsx";
import { durationWords } from "../time/duration-words.ts";
import { useSecond } from "../time/ticker.ts";
import type { FleetPicture } from "../views/fleet-fold.ts";
import type { FleetIncident } from "../views/fleet-incident.ts";
import {
  caughtUpWords,
  incidentReasons,
  incidentState,
  incidentTitle,
  isIncidentFlapping,
  nextAttemptOf,
  noticedIncidents,
  oldestDataOf,
} from "../words/incident-words.ts";
import styles from "./notices.module.css";
import { RetryNow } from "./retry-now.tsx";

/** Time for which an ended incident is still shown (PG19). */
const endedMs = 10_000;

/** One notice per incident, on every page, until it ends (PG19). Notices are below the data, never over it. */
export function Notices(): ReactNode {
  const shown = useFleet();
  const fleet = shown.kind === "shown" ? shown.value : undefined;
  return (
    <section className={styles["notices"]} aria-label="Incidents" aria-live="assertive">
      {fleet !== undefined &&
        noticedIncidents(fleet.incidents).map((incident) => (
          <NoticeOf key={incident.number} incident={incident} clusters={fleet.clusters} />
        ))}
    </section>
  );
}

interface NoticeParts {
  readonly incident: FleetIncident;
  readonly clusters: FleetPicture["clusters"];
}

/**
 * The notice of one incident: clusters, reason, duration, age of the data, next attempt and "Retry now"; or that it
 * ended.
 */
export function NoticeOf({ incident, clusters }: NoticeParts): ReactNode {
  return incident.endedMs === undefined ? (
    <OpenIncident incident={incident} clusters={clusters} />
  ) : (
    <EndedIncident incident={incident} clusters={clusters} />
  );
}

function OpenIncident({ incident, clusters }: NoticeParts): ReactNode {
  const next = nextAttemptOf(incident, clusters);
  const seen = oldestDataOf(incident, clusters);
  const [first] = incident.outIds;
  return (
    <article className={`${styles["notice"]} ${styles["lost"]}`} data-incident={incident.number}>
      <StateShape state={incidentState(incident, clusters) ?? "disconnected"} />
      <div className={styles["words"]}>
        <h2>
          {first === undefined ? (
            incidentTitle(incident, clusters)
          ) : (
            <Link to="/clusters/$name" params={{ name: first }} search={(before) => before}>
              {incidentTitle(incident, clusters)}
            </Link>
          )}
        </h2>
        <p>
          {incidentReasons(incident)}
          {isIncidentFlapping(incident, clusters) && ", flapping"},{" "}
          <Age atMs={incident.beganMs} isAlways prefix="for " />
          {seen !== undefined && <Age atMs={seen} isAlways prefix=". Data is " suffix=" old" />}
          {next !== undefined && (
            <>
              . Next try <Countdown atMs={next} />
            </>
          )}
          .
        </p>
        <RetryNow ids={incident.outIds} />
      </div>
    </article>
  );
}

function EndedIncident({ incident, clusters }: NoticeParts): ReactNode {
  useSecond();
  const { clock } = usePage().link;
  const ageMs = clock.ageMs(Number(incident.endedMs)) ?? 0;
  if (ageMs > endedMs || incident.returnedIds.length === 0) return null;
  const how = caughtUpWords(incident);
  return (
    <article className={`${styles["notice"]} ${styles["back"]}`} data-incident={incident.number}>
      <StateShape state="live" />
      <div className={styles["words"]}>
        <h2>{incidentTitle(incident, clusters)}</h2>
        <p>
          away for {durationWords(Number(incident.endedMs) - Number(incident.beganMs))}
          {how === "" ? "" : `, ${how}`}.
        </p>
      </div>
    </article>
  );
}
