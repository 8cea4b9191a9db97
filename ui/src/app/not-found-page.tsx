// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import styles from "./not-found-page.module.css";

/** The page of an unknown address. */
export function NotFoundPage(): ReactNode {
  return (
    <main className={styles["page"]}>
      <h1>Page not found</h1>
      <p>
        <code>{globalThis.location.pathname}</code> is not a page of this hub. <Link to="/">Go to the fleet.</Link>
      </p>
    </main>
  );
}
