// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { usePage, useTitle } from "../../app/page-context.ts";
import { failureSentence, loginService } from "../../app/services.ts";
import { LoginForm } from "../../frame/login-form.tsx";
import styles from "./login-page.module.css";

/** The target of a login link. The code is in the fragment and removed from the address before use. */
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

/** Takes the code out of the address, so that it does not stay in the browser's history. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(globalThis.location.hash.slice(1)).get("code") ?? undefined;
  if (code !== undefined) globalThis.history.replaceState(null, "", globalThis.location.pathname);
  return code;
}
