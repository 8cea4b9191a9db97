// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import type { AccountTokens, AccountVerdict } from "../accounts/account-tokens.ts";

/**
 * Authenticates a bearer token. By default it must be valid for this API server. An invalid token resolves with an
 * error.
 */
export type TokenAuthenticator = (token: string, audiences?: readonly string[]) => Promise<AccountVerdict>;

/** Accepts the tokens of `findUser`, then those of service accounts. */
export function createTokenAuthenticator(
  findUser: (token: string) => Promise<Subject | undefined>,
  accounts: AccountTokens,
): TokenAuthenticator {
  return async (token, audiences = accounts.audiences) => {
    // Tokens of `findUser` have no audience: they are valid for this server only.
    const shared = accounts.audiences.filter((each) => audiences.includes(each));
    const subject = shared.length === 0 ? undefined : await findUser(token);
    if (subject !== undefined) return { subject, audiences: shared };
    const verdict = accounts.verify(token, audiences) ?? { error: "" };
    return "subject" in verdict ? verdict : { error: joinErrors(verdict.error) };
  };
}

/** kube-apiserver tries several authenticators and lists the errors of all. */
function joinErrors(ofAccounts: string): string {
  const ofOthers = "invalid bearer token";
  return ofAccounts === "" ? ofOthers : `[${ofOthers}, ${ofAccounts}]`;
}
