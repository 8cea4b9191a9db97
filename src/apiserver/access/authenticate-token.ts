// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import type { AccountTokens, AccountVerdict } from "../accounts/account-tokens.ts";

/** Judges a bearer token. Without audiences it must be for this API server. Never rejects for a token that is worth nothing. */
export type TokenAuthenticator = (token: string, audiences?: readonly string[]) => Promise<AccountVerdict>;

/** Accepts the tokens that the server was opened with, then those of its service accounts. */
export function createTokenAuthenticator(
  findUser: (token: string) => Promise<Subject | undefined>,
  accounts: AccountTokens,
): TokenAuthenticator {
  return async (token, audiences = accounts.audiences) => {
    // Tokens that the server was opened with name no audience: they are for this server alone.
    const shared = accounts.audiences.filter((each) => audiences.includes(each));
    const subject = shared.length === 0 ? undefined : await findUser(token);
    if (subject !== undefined) return { subject, audiences: shared };
    const verdict = accounts.verify(token, audiences) ?? { error: "" };
    return "subject" in verdict ? verdict : { error: joinErrors(verdict.error) };
  };
}

/** The real server asks several authenticators and lists the errors of all. */
function joinErrors(ofAccounts: string): string {
  const ofOthers = "invalid bearer token";
  return ofAccounts === "" ? ofOthers : `[${ofOthers}, ${ofAccounts}]`;
}
