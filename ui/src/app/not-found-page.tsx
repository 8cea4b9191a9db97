// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import styles from "./not-found-page.module.css";

/** An address that leads nowhere. */
export function NotFoundPage(): ReactNode {
  return (
    <main className={styles["page"]}>
      <h1>Nothing is at this address</h1>
      <p>
        <code>{globalThis.location.pathname}</code> is no page of this hub. <Link to="/">Go to the fleet.</Link>
      </p>
    </main>
  );
}
