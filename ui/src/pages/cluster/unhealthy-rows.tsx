// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { Row } from "../../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import type { UnhealthyList } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { StatusBadge } from "../../parts/status-shape.tsx";
import { WallAge } from "../../parts/wall-age.tsx";
import { countWords } from "../../words/count-words.ts";
import { parseObjectStatus } from "../../words/status-words.ts";
import { objectKey, objectName } from "../object/object-address.ts";
import { type LinkLook, ObjectLink, useLinkLook } from "../object/object-link.tsx";
import { ObjectWalk } from "../object/object-walk.tsx";
import { Section } from "./section.tsx";
import styles from "./unhealthy-rows.module.css";

/**
 * Unhealthy and degraded objects of the cluster in the address, worst first. Each links to its object, read from the
 * cluster.
 */
export function UnhealthyRows({ list }: { readonly list: UnhealthyList }): ReactNode {
  const { rows, totalCount } = list;
  const { name: cluster = "" } = useParams({ strict: false });
  const look = useLinkLook("cluster");
  const addresses = useMemo(
    () => rows.map(({ resource, namespace, name }) => ({ cluster, resource, namespace, name })),
    [cluster, rows],
  );
  const aside =
    totalCount > rows.length
      ? `${countWords(totalCount)}, the worst ${countWords(rows.length)} shown`
      : countWords(totalCount);
  return (
    <Section title="Unhealthy" aside={aside}>
      {look.open !== undefined && <ObjectWalk list={addresses} open={look.open} beside="cluster" />}
      {rows.length === 0 ? (
        <p className={styles["none"]}>No object is unhealthy.</p>
      ) : (
        <ul className={styles["list"]}>
          {rows.map((row) => (
            <UnhealthyRow key={row.uid} cluster={cluster} row={row} look={look} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function UnhealthyRow({
  cluster,
  row,
  look: { beside, openKey, searchText },
}: {
  readonly cluster: string;
  readonly row: Row;
  readonly look: LinkLook;
}): ReactNode {
  const { kind, resource, namespace, name, status, reason, message, statusSince } = row;
  const address = { cluster, resource, namespace, name };
  const isOpen = openKey === objectKey(address);
  return (
    <li className={styles["row"]} data-object={`${kind}/${namespace}/${name}`}>
      <span className={styles["who"]}>
        <StatusBadge status={parseObjectStatus(status)} /> <b>{kind}</b>{" "}
        <ObjectLink {...{ address, beside, isOpen, searchText }} className={styles["name"]}>
          {objectName(row)}
        </ObjectLink>
        {statusSince !== undefined && (
          <span className={styles["age"]}>
            <WallAge atMs={timestampMs(statusSince)} prefix="for " />
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
