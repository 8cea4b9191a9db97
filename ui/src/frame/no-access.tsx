// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import type { Viewer } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { useFleet, usePage } from "../app/page-context.ts";
import { noAccessWords } from "../words/no-access-words.ts";
import styles from "./no-access.module.css";

/** The viewer if they may see no cluster of this hub; undefined if they may, or if it is not known yet (PG34). */
export function useNoAccess(): Viewer | undefined {
  const { viewer } = usePage();
  const shown = useFleet();
  const seesNone = shown.kind === "refused" || (shown.kind === "shown" && shown.value.clusters.size === 0);
  return viewer !== undefined && !viewer.canListClusters && seesNone ? viewer : undefined;
}

/** Shown on every page instead of its content when permission is missing, so that nothing looks merely empty. */
export function NoAccess({ viewer }: { readonly viewer: Viewer }): ReactNode {
  const { title, sentence } = noAccessWords(viewer);
  return (
    <section className={styles["box"]} role="alert" data-no-access="">
      <h2>{title}</h2>
      <p>{sentence}</p>
    </section>
  );
}
