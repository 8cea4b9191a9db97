// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useMemo } from "react";
import styles from "./object-text-view.module.css";
import { toBlocks } from "./text-blocks.ts";

/** What a cluster wrote, as text and nothing else. In blocks of which the browser lays out those in sight: a megabyte takes it a tenth of a second. */
export function ObjectText({ text, isOld }: { readonly text: string; readonly isOld: boolean }): ReactNode {
  const blocks = useMemo(() => toBlocks(text), [text]);
  return (
    // Somebody reads it: a newer page waits for that (PG26).
    <pre className={styles["text"]} data-held="" data-old={isOld ? "" : undefined}>
      {blocks.map((block, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a block has nothing else of its own
        <span key={index}>{block}</span>
      ))}
    </pre>
  );
}
