// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useState } from "react";
import { usePage } from "../app/page-context.ts";
import { failureSentence, loginService } from "../app/services.ts";
import styles from "./user-menu.module.css";

/** The viewer's name with a menu of groups and logout. Empty until the viewer is loaded. */
export function UserMenu(): ReactNode {
  const { viewer } = usePage();
  const [failure, setFailure] = useState("");
  if (viewer === undefined) return null;
  const { user, groups } = viewer;
  return (
    <>
      <button type="button" className={styles["me"]} popoverTarget="user-menu" aria-label={`${user}: account`}>
        {user}
      </button>
      <div id="user-menu" popover="auto" className={styles["menu"]}>
        <p className={styles["user"]}>{user}</p>
        <p className={styles["groups"]}>{groups.length === 0 ? "No groups." : `Groups: ${groups.join(", ")}`}</p>
        <button type="button" className={styles["out"]} onClick={() => void logOut().catch(toFailure(setFailure))}>
          Log out
        </button>
        <p role="alert" className={styles["failure"]}>
          {failure}
        </p>
      </div>
    </>
  );
}

/** Logs out and reloads the page, so that nothing shown before stays in this tab (PG1). */
async function logOut(): Promise<void> {
  await loginService.logout({});
  globalThis.location.assign("/ui/login");
}

function toFailure(show: (sentence: string) => void): (reason: unknown) => void {
  return (reason) => show(failureSentence(reason));
}
