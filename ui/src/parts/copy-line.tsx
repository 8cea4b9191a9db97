// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import styles from "./copy-line.module.css";

/** A command or secret to copy, shown only once: a reload waits for it (PG26). */
export function CopyLine({ text }: { readonly text: string }): ReactNode {
  return (
    <span className={styles["box"]} data-unsaved="">
      <code className={styles["text"]}>{text}</code>
      <CopyButton text={text} />
    </span>
  );
}
