// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useEffect, useRef } from "react";
import styles from "./sheet.module.css";

/**
 * A modal dialog: the browser's own, which traps the focus, closes with Esc and is announced by screen readers. Open
 * while mounted.
 */
export function Sheet({
  title,
  isTitleShown = true,
  onClose,
  children,
}: {
  readonly title: string;
  readonly isTitleShown?: boolean;
  /** Left out: the dialog cannot be closed. */
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
    // A click on the backdrop closes it; the key is Esc.
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
