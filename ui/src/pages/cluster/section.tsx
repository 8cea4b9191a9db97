// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useId } from "react";
import styles from "./section.module.css";

/** A section of the panel with its title and a note beside it. */
export function Section({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <section className={styles["section"]} aria-labelledby={id}>
      <h3 id={id} className={styles["title"]}>
        {title} {aside !== undefined && <span className={styles["aside"]}>{aside}</span>}
      </h3>
      {children}
    </section>
  );
}
