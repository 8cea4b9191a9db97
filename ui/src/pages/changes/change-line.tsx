// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import { StatusBadge } from "../../parts/status-shape.tsx";
import type { FeedLine } from "../../views/changes-fold.ts";
import { countWords } from "../../words/count-words.ts";
import { parseObjectStatus } from "../../words/status-words.ts";
import styles from "./change-line.module.css";

const signs: ReadonlyMap<string, string> = new Map([
  ["added", "+"],
  ["changed", "~"],
  ["removed", "−"],
]);

/** One line of the feed: in most cases a change of one object. */
export const ChangeLine = memo(function ChangeLine({ line }: { readonly line: FeedLine }): ReactNode {
  if (line.kind === "came") return <p className={styles["came"]}>Before you came</p>;
  if (line.kind === "leftOut") {
    return (
      <p className={styles["leftOut"]}>{countWords(line.count, "change", "changes")} came too fast to be shown here.</p>
    );
  }
  const { clusterId, resource, namespace, name, what, status, receivedAt } = line.change;
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
      <span className={styles["name"]} title={`${namespace}/${name}`}>
        {namespace === "" ? name : `${namespace}/${name}`}
      </span>
      <span>{status !== "" && <StatusBadge status={parseObjectStatus(status)} />}</span>
    </p>
  );
});
