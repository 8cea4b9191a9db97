// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import type { Viewer } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { useFleet, usePage } from "../app/page-context.ts";
import { noAccessWords } from "../words/no-access-words.ts";
import styles from "./no-access.module.css";

/** The viewer, where they may see no cluster of this hub; undefined where they may see one, or that is not known yet (PG34). */
export function useNoAccess(): Viewer | undefined {
  const { viewer } = usePage();
  const shown = useFleet();
  const seesNone = shown.kind === "refused" || (shown.kind === "shown" && shown.value.clusters.size === 0);
  return viewer !== undefined && !viewer.canListClusters && seesNone ? viewer : undefined;
}

/** Says on every page that a right is missing, and who can give it: nothing here is empty because there is nothing. */
export function NoAccess({ viewer }: { readonly viewer: Viewer }): ReactNode {
  const { title, sentence } = noAccessWords(viewer);
  return (
    <section className={styles["box"]} role="alert" data-no-access="">
      <h2>{title}</h2>
      <p>{sentence}</p>
    </section>
  );
}
