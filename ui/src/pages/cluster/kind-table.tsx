// SPDX-License-Identifier: Apache-2.0
import { Fragment, type ReactNode, useState } from "react";
import type { KindCoverage } from "../../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import type { KindList, KindRate, RateList } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { Age } from "../../parts/age.tsx";
import { countWords } from "../../words/count-words.ts";
import styles from "./kind-table.module.css";
import { byteWords, kindAdvice, kindStateWords, sortKinds } from "./kind-words.ts";
import { Section } from "./section.tsx";

/** The sync state of each kind, problems first. A failing kind shows its full error and advice. */
export function KindTable({
  clusterId,
  list,
  rates,
}: {
  readonly clusterId: string;
  readonly list: KindList;
  readonly rates: RateList | undefined;
}): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const rateOf = new Map(rates?.rates.map((rate) => [rate.resource, rate]));
  const current = new Set(list.currentResources);
  const installed = list.kinds.filter(({ state }) => state !== "notInstalled");
  const kinds = sortKinds(isWhole ? list.kinds : installed);
  const absentCount = list.kinds.length - installed.length;
  const failing = list.kinds.filter(({ state }) => state === "failed").length;
  const aside = `${countWords(installed.length)} followed${failing === 0 ? "" : `, ${countWords(failing, "fails", "fail")}`}`;
  return (
    <Section title="Kinds" aside={aside}>
      <div className={styles["scroller"]}>
        <table className={styles["table"]}>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">Sync</th>
              <th scope="col" className={styles["number"]}>
                Objects
              </th>
              <th scope="col">As of</th>
              <th scope="col" className={styles["number"]}>
                Changes/s
              </th>
              <th scope="col" className={styles["number"]}>
                Bytes/s
              </th>
            </tr>
          </thead>
          <tbody>
            {kinds.map((kind) => (
              <KindLines
                key={kind.resource}
                clusterId={clusterId}
                kind={kind}
                atMs={current.has(kind.resource) ? undefined : Number(list.atMs)}
                rate={rateOf.get(kind.resource)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {absentCount > 0 && (
        <button type="button" className={styles["more"]} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Hide" : "Show"} {countWords(absentCount, "kind that is", "kinds that are")} not installed
        </button>
      )}
    </Section>
  );
}

function KindLines({
  clusterId,
  kind,
  atMs,
  rate,
}: {
  readonly clusterId: string;
  readonly kind: KindCoverage;
  /** Hub time at which the ages in `kind` were right; undefined for a current kind. */
  readonly atMs: number | undefined;
  readonly rate: KindRate | undefined;
}): ReactNode {
  const { word, tone } = kindStateWords(kind.state);
  const advice = kindAdvice(clusterId, kind);
  return (
    <Fragment>
      <tr data-kind={kind.resource} data-state={kind.state}>
        <th scope="row" title={kind.resource}>
          {kind.kind === "" ? kind.resource : kind.kind}
          {kind.version !== "" && <span className={styles["version"]}> {kind.version}</span>}
        </th>
        <td className={styles[tone]}>{word}</td>
        <td className={styles["number"]}>{countWords(Number(kind.rowCount))}</td>
        <td>
          {atMs === undefined || kind.currentMsAgo === undefined ? (
            ""
          ) : (
            <Age atMs={atMs - Number(kind.currentMsAgo)} suffix=" ago" />
          )}
        </td>
        <td className={styles["number"]}>{rate === undefined ? "" : rate.changesPerSecond.toFixed(1)}</td>
        <td className={styles["number"]}>{rate === undefined ? "" : byteWords(rate.bytesPerSecond)}</td>
      </tr>
      {advice !== undefined && (
        <tr className={styles["error"]}>
          <td colSpan={6}>
            <p className={styles["text"]}>
              {kind.verb !== "" && <b>{kind.verb} </b>}
              <span>{kind.error}</span>
            </p>
            {kind.refusedCount > 0 && (
              <p>
                {countWords(kind.refusedCount, "object was", "objects were")} refused: <span>{kind.refusedError}</span>
              </p>
            )}
            {advice !== "" && <p className={styles["advice"]}>{advice}</p>}
          </td>
        </tr>
      )}
    </Fragment>
  );
}
