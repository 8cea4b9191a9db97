// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import { StatusBadge } from "../../parts/status-shape.tsx";
import type { FeedLine } from "../../views/changes-fold.ts";
import { countWords } from "../../words/count-words.ts";
import { parseObjectStatus } from "../../words/status-words.ts";
import { type ObjectAddress, objectName } from "../object/object-address.ts";
import { ObjectLink } from "../object/object-link.tsx";
import styles from "./change-line.module.css";

const signs: ReadonlyMap<string, string> = new Map([
  ["added", "+"],
  ["changed", "~"],
  ["removed", "−"],
]);

/** The object of a line; undefined for other lines and for removed objects. */
export function addressOf(line: FeedLine): ObjectAddress | undefined {
  if (line.kind !== "change" || line.change.what === "removed") return undefined;
  const { clusterId, resource, namespace, name } = line.change;
  return { cluster: clusterId, resource, namespace, name };
}

/** One line of the feed, usually a change of one object. */
export const ChangeLine = memo(function ChangeLine({
  line,
  isOpen,
  searchText,
}: {
  readonly line: FeedLine;
  /** Whether its object is open. */
  readonly isOpen: boolean;
  /** The search part of the address. */
  readonly searchText: string;
}): ReactNode {
  if (line.kind === "came") return <p className={styles["came"]}>Before you opened this page</p>;
  if (line.kind === "leftOut") {
    return (
      <p className={styles["leftOut"]}>
        {countWords(line.count, "change", "changes")} arrived too fast to be shown here.
      </p>
    );
  }
  const { clusterId, resource, namespace, name, what, status, receivedAt } = line.change;
  const address = addressOf(line);
  const at = receivedAt === undefined ? undefined : new Date(timestampMs(receivedAt));
  return (
    <p className={styles["line"]} data-change={`${what} ${resource} ${namespace}/${name}`}>
      <time dateTime={at?.toISOString()} title={at?.toLocaleString()}>
        {at?.toLocaleTimeString()}
      </time>
      <span className={styles[what] ?? ""}>
        <span aria-hidden="true">{signs.get(what) ?? "?"}</span> {what}
      </span>
      <Link to="/clusters/$name" params={{ name: clusterId }} className={styles["cluster"]}>
        {clusterId}
      </Link>
      <span className={styles["kind"]}>{resource}</span>
      <span className={styles["name"]} title={`${resource} ${objectName(line.change)}`}>
        {address === undefined ? (
          objectName(line.change)
        ) : (
          <ObjectLink {...{ address, isOpen, searchText }} beside="changes">
            {objectName(address)}
          </ObjectLink>
        )}
      </span>
      <span>{status !== "" && <StatusBadge status={parseObjectStatus(status)} />}</span>
    </p>
  );
});
