// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { usePage, useTitle } from "../../app/page-context.ts";
import { failureSentence, loginService } from "../../app/services.ts";
import { LoginForm } from "../../frame/login-form.tsx";
import styles from "./login-page.module.css";

/** Where a login link leads. Its code stands behind `#` and is taken out of the address before it is used. */
export function LoginPage(): ReactNode {
  const navigate = useNavigate();
  const { reloadViewer, link } = usePage();
  const [failure, setFailure] = useState("");
  useTitle("Log in");
  const enter = useCallback(() => {
    reloadViewer();
    link.retryNow();
    void navigate({ to: "/", replace: true });
  }, [reloadViewer, link, navigate]);
  useEffect(() => {
    const code = takeCode();
    if (code === undefined) return;
    loginService.login({ proof: { case: "code", value: code } }).then(enter, (reason: unknown) => {
      setFailure(failureSentence(reason));
    });
  }, [enter]);
  return (
    <main className={styles["page"]}>
      <h1>Flotilla</h1>
      {failure !== "" && (
        <p role="alert" className={styles["failure"]}>
          {failure}
        </p>
      )}
      <LoginForm onLogin={enter} />
    </main>
  );
}

/** The code of the address, which loses it: it is not to stay in the history. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(globalThis.location.hash.slice(1)).get("code") ?? undefined;
  if (code !== undefined) globalThis.history.replaceState(null, "", globalThis.location.pathname);
  return code;
}
