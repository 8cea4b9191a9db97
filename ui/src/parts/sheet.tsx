// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useEffect, useRef } from "react";
import styles from "./sheet.module.css";

/** A dialog over the page: the browser's own, which holds the focus, closes with Esc and is known to screen readers. Shown as long as it is rendered. */
export function Sheet({
  title,
  isTitleShown = true,
  onClose,
  children,
}: {
  readonly title: string;
  readonly isTitleShown?: boolean;
  /** Left out: it cannot be closed. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // A click on what lies behind closes it; keys have Esc.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      className={styles["sheet"]}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={({ target }) => {
        if (target === dialog.current) onClose?.();
      }}
    >
      <div className={styles["inside"]}>
        {isTitleShown && <h2 className={styles["title"]}>{title}</h2>}
        {children}
      </div>
    </dialog>
  );
}
