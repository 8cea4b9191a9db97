// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import styles from "./panel-head.module.css";

/** What stands above a detail that is open beside its list: what it is, and the way to close it. */
export function PanelHead({
  children,
  onClose,
}: {
  readonly children: ReactNode;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <header className={styles["head"]}>
      <h2>{children}</h2>
      <button type="button" onClick={onClose} aria-label="Close">
        ✕
      </button>
    </header>
  );
}
