// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import styles from "./middle-cut.module.css";

/** Characters at the end of a name that always stay: cluster names differ in their last part. */
const tailLength = 8;

/**
 * A monospaced name, cut in the middle when there is no room. The whole name is available to hover, copying and screen
 * readers.
 */
export function MiddleCut({ text }: { readonly text: string }): ReactNode {
  const head = text.slice(0, Math.max(0, text.length - tailLength));
  return (
    <span className={styles["name"]} title={text}>
      <span className={styles["head"]}>{head}</span>
      <span>{text.slice(head.length)}</span>
    </span>
  );
}
