// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useState } from "react";
import styles from "./copy-line.module.css";

/** A command or a secret to copy, shown only this once: a reload waits for it (PG26). Says so when it was copied, and when the browser does not let us. */
export function CopyLine({ text }: { readonly text: string }): ReactNode {
  const [word, setWord] = useState("Copy");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setWord("Copied");
    } catch {
      setWord("Select it and copy: the browser refuses");
    }
  };
  return (
    <span className={styles["box"]} data-unsaved="">
      <code className={styles["text"]}>{text}</code>
      <button type="button" onClick={() => void copy()} aria-live="polite">
        {word}
      </button>
    </span>
  );
}
