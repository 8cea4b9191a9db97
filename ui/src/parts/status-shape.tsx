// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import type { ObjectStatus } from "../words/status-words.ts";
import styles from "./status-shape.module.css";

const frame = <path d="M2.5 2.5h11v11h-11z" fill="none" stroke="currentColor" strokeWidth="2" />;

const shapes: Readonly<Record<ObjectStatus, ReactNode>> = {
  unhealthy: (
    <path
      fillRule="evenodd"
      d="M1.5 1.5h13v13h-13zM4.6 6 6 4.6l2 2 2-2L11.4 6l-2 2 2 2-1.4 1.4-2-2-2 2L4.6 10l2-2z"
      fill="currentColor"
    />
  ),
  degraded: <path d="M1.5 1.5h13v13zm0 0v13h13" fill="none" stroke="currentColor" strokeWidth="2" />,
  progressing: (
    <>
      {frame}
      <path d="M2.5 9h11v4.5h-11z" fill="currentColor" />
    </>
  ),
  terminating: (
    <>
      {frame}
      <path d="M5 8h6" stroke="currentColor" strokeWidth="2" />
    </>
  ),
  suspended: <path d="M3 2.5h3.5v11H3zM9.5 2.5H13v11H9.5z" fill="currentColor" />,
  unknown: (
    <path d="M2.5 2.5h11v11h-11z" fill="none" stroke="currentColor" strokeWidth="2" strokeDasharray="2.75 2.75" />
  ),
  healthy: <path d="M1.5 1.5h13v13h-13z" fill="currentColor" />,
  completed: (
    <>
      {frame}
      <path d="m4.8 8 2.2 2.4L11.4 5.6" fill="none" stroke="currentColor" strokeWidth="2" />
    </>
  ),
};

/** The shape of an object's status with its word. */
export function StatusBadge({ status }: { readonly status: ObjectStatus }): ReactNode {
  return (
    <span className={`${styles["badge"]} ${styles[status]}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {shapes[status]}
      </svg>
      {status}
    </span>
  );
}
