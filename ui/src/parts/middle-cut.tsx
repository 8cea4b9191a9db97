// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import styles from "./middle-cut.module.css";

/** The end of a name that always stays: names of clusters differ in their last part. */
const tailLength = 8;

/** A name in mono that is cut in its middle where there is no room. The whole name is there for hover, copying and screen readers. */
export function MiddleCut({ text }: { readonly text: string }): ReactNode {
  const head = text.slice(0, Math.max(0, text.length - tailLength));
  return (
    <span className={styles["name"]} title={text}>
      <span className={styles["head"]}>{head}</span>
      <span>{text.slice(head.length)}</span>
    </span>
  );
}
