// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useState } from "react";
import { failureSentence, loginService } from "../app/services.ts";
import styles from "./login-form.module.css";

/** Exchanges a token for the session cookie. */
export function LoginForm({ onLogin }: { readonly onLogin: () => void }): ReactNode {
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState("");
  const [isAsking, setAsking] = useState(false);
  const login = async (): Promise<void> => {
    setAsking(true);
    setFailure("");
    try {
      await loginService.login({ proof: { case: "token", value: token.trim() } });
      onLogin();
    } catch (reason) {
      setFailure(failureSentence(reason));
    } finally {
      setAsking(false);
    }
  };
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault();
        void login();
      }}
    >
      <label htmlFor="token">Token</label>
      <input
        id="token"
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        required
        value={token}
        aria-describedby="login-failure"
        onChange={({ target }) => setToken(target.value)}
      />
      <button type="submit" disabled={isAsking}>
        {isAsking ? "Logging in" : "Log in"}
      </button>
      <p id="login-failure" role="alert" className={styles["failure"]}>
        {failure}
      </p>
      <p className={styles["hint"]}>
        On the hub's machine, <code>flotilla login-link</code> prints a link that logs in once.
      </p>
    </form>
  );
}
