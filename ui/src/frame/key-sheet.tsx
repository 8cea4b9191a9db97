// SPDX-License-Identifier: Apache-2.0
import type { ReactNode } from "react";
import { Sheet } from "../parts/sheet.tsx";
import styles from "./key-sheet.module.css";
import { useKeyBindings } from "./keys.ts";

/** Lists the key bindings of this page. */
export function KeySheet({ onClose }: { readonly onClose: () => void }): ReactNode {
  const bindings = useKeyBindings();
  const byKeys = new Map(bindings.map(({ keys, what }) => [keys, what]));
  return (
    <Sheet title="Keys" onClose={onClose}>
      <dl className={styles["list"]}>
        {[...byKeys, ["Enter", "Open"], ["Esc", "Close"]].map(([keys, what]) => (
          <div key={keys} className={styles["line"]}>
            <dt>
              {keys?.split(" ").map((key) => (
                <kbd key={key}>{key.replace("mod+", "Ctrl ")}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
