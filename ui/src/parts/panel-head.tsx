// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import styles from "./panel-head.module.css";

/** The header of a detail panel: its title and the close button. */
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
