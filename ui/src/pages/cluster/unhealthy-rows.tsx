// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ReactNode } from "react";
import type { Row } from "../../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import type { UnhealthyList } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { StatusBadge } from "../../parts/status-shape.tsx";
import { WallAge } from "../../parts/wall-age.tsx";
import { countWords } from "../../words/count-words.ts";
import { parseObjectStatus } from "../../words/status-words.ts";
import { Section } from "./section.tsx";
import styles from "./unhealthy-rows.module.css";

/** What is wrong in the cluster, the worst first. */
export function UnhealthyRows({ list }: { readonly list: UnhealthyList }): ReactNode {
  const { rows, totalCount } = list;
  const aside =
    totalCount > rows.length
      ? `${countWords(totalCount)}, the worst ${countWords(rows.length)} shown`
      : countWords(totalCount);
  return (
    <Section title="Unhealthy" aside={aside}>
      {rows.length === 0 ? (
        <p className={styles["none"]}>No object is unhealthy.</p>
      ) : (
        <ul className={styles["list"]}>
          {rows.map((row) => (
            <UnhealthyRow key={row.uid} row={row} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function UnhealthyRow({ row }: { readonly row: Row }): ReactNode {
  const { kind, namespace, name, status, reason, message, createdAt } = row;
  return (
    <li className={styles["row"]} data-object={`${kind}/${namespace}/${name}`}>
      <span className={styles["who"]}>
        <StatusBadge status={parseObjectStatus(status)} /> <b>{kind}</b>{" "}
        <span className="mono">{namespace === "" ? name : `${namespace}/${name}`}</span>
        {createdAt !== undefined && (
          <span className={styles["age"]}>
            <WallAge atMs={timestampMs(createdAt)} prefix="made " suffix=" ago" />
          </span>
        )}
      </span>
      {(reason !== "" || message !== "") && (
        <span className={styles["why"]} dir="auto">
          {reason}
          {reason !== "" && message !== "" ? ": " : ""}
          {message}
        </span>
      )}
    </li>
  );
}
