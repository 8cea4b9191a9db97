// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import styles from "../add/add-cluster.module.css";

/** Shown by a hub without clusters: links to adding the first one. Replaced when it has joined. */
export function Onboarding(): ReactNode {
  return (
    <section className={styles["box"]}>
      <h2>No cluster has joined yet</h2>
      <p>
        Each cluster runs an agent that dials this hub. The cluster needs no access from outside, and it appears here
        within seconds.
      </p>
      <p>
        <Link to="/add" className={styles["button"]}>
          Add a cluster
        </Link>
      </p>
    </section>
  );
}
