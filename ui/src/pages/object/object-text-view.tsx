// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useMemo } from "react";
import styles from "./object-text-view.module.css";
import { toBlocks } from "./text-blocks.ts";

/**
 * Text from a cluster, rendered as text only. Split into blocks, of which the browser lays out the visible ones: a
 * megabyte takes a tenth of a second.
 */
export function ObjectText({ text, isOld }: { readonly text: string; readonly isOld: boolean }): ReactNode {
  const blocks = useMemo(() => toBlocks(text), [text]);
  return (
    // Being read: a reload for a newer page waits (PG26).
    <pre className={styles["text"]} data-held="" data-old={isOld ? "" : undefined}>
      {blocks.map((block, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a block has nothing else of its own
        <span key={index}>{block}</span>
      ))}
    </pre>
  );
}
