// SPDX-License-Identifier: Apache-2.0
// LoginService: exchanges a token or the code of a link for the page's cookie, and logs out (PG1 to PG4).

import { FlotillaError } from "../../base/error.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type LoginRequest, LoginService } from "../../gen/flotilla/page/v1/page_pb.ts";
import { createSubject } from "../../model/subject.ts";
import { clearSessionCookie, setSessionCookie } from "../../rpc/auth/session-cookie.ts";
import { callerOf, callOf, peerHostOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { actorOf } from "../audit/actor-of.ts";
import { FailedAttempts } from "../joining/failed-attempts.ts";
import { checkIdentity } from "../tokens/new-token.ts";
import type { TokenRecord } from "../tokens/token-record.ts";
import type { TokenRegistry } from "../tokens/token-registry.ts";
import { codeLifeMs, LoginCodes, type LoginGrant } from "./login-codes.ts";
import { toViewer, type ViewerOptions } from "./viewer.ts";

/** 12 hours: a login lasts a working day and expires overnight (PG1). */
const loginLifeMs = 12 * 3_600_000;

export interface LoginOptions extends Omit<ViewerOptions, "log"> {
  readonly tokens: TokenRegistry;
  readonly clock: Clock;
  readonly random: Random;
}

/** The logins of one hub. */
export interface Logins {
  readonly service: ServiceEntry;
  /**
   * Creates the code of a login link for the user of this token; the login ends with the token. Throws UNAUTHENTICATED
   * if the token has ended.
   */
  createCode(tokenId: string): string;
}

/** LoginService over the registry of tokens. */
export function createLogins(options: LoginOptions): Logins {
  const { tokens, clock, hubName } = options;
  const codes = new LoginCodes(options);
  const failures = new FailedAttempts(clock, "logins");
  const leftMs = ({ expiresAtMs }: TokenRecord): number =>
    expiresAtMs === undefined ? 0 : Math.max(0, expiresAtMs - clock.wallMs());

  const checkProof = (address: string, proof: LoginRequest["proof"]): LoginGrant => {
    failures.assertAllowed(address);
    const outcome = proof.case === "code" ? takeCode(codes, proof.value) : checkToken(tokens, proof.value ?? "");
    if (outcome.kind === "granted") return outcome.grant;
    failures.noteFailure(address);
    throw new FlotillaError("UNAUTHENTICATED", outcome.sentence);
  };

  const service = serviceEntry(LoginService, {
    async login({ proof }, context) {
      const grant = checkProof(peerHostOf(context.values), proof);
      const description = `login of the page with ${grant.parentId}`;
      const { record, text } = await tokens.derive(
        { ...grant, description, ttlMs: loginLifeMs },
        {
          user: grant.user,
          tokenId: grant.parentId,
          address: peerHostOf(context.values),
          requestId: callOf(context.values).requestId,
        },
      );
      const lifeMs = leftMs(record);
      setSessionCookie(context, { hubName, token: text, maxAgeSeconds: Math.ceil(lifeMs / 1_000) });
      const { log } = callOf(context.values);
      log.info("logged in", { user: record.user, tokenId: record.id, parentId: grant.parentId });
      return { viewer: await toViewer(createSubject(record), lifeMs, { ...options, log }) };
    },

    async logout(_request, context) {
      const { tokenId } = callerOf(context.values);
      clearSessionCookie(context, hubName);
      // A token that was not created by a login is kept: its owner also uses it elsewhere.
      if (tokens.get(tokenId)?.parentId !== undefined) await tokens.revoke(tokenId, actorOf(context.values));
      return {};
    },

    async getViewer(_request, context) {
      const { tokenId, subject } = callerOf(context.values);
      const record = tokens.get(tokenId);
      const { log } = callOf(context.values);
      return { viewer: await toViewer(subject, record === undefined ? 0 : leftMs(record), { ...options, log }) };
    },

    createLoginLink({ user, groups }, context) {
      const own = grantOf(tokens, callerOf(context.values).tokenId);
      if (user === "" && groups.length > 0) {
        throw new FlotillaError("INVALID_ARGUMENT", "groups: set a user too", {
          ids: { field: "groups" },
        });
      }
      const grant = user === "" ? own : { ...checkIdentity({ user, groups }), parentId: own.parentId };
      const code = codes.create(grant);
      const { log } = callOf(context.values);
      log.info("login link created", { user: grant.user, parentId: grant.parentId });
      return { code, expiresInMs: BigInt(codeLifeMs), user: grant.user };
    },
  });
  return { service, createCode: (tokenId) => codes.create(grantOf(tokens, tokenId)) };
}

type Outcome =
  | { readonly kind: "granted"; readonly grant: LoginGrant }
  | { readonly kind: "refused"; readonly sentence: string };

const codeSentence =
  "the code of this login link is used, unknown or expired; get another link with `flotilla login-link`";

function takeCode(codes: LoginCodes, code: string): Outcome {
  const grant = codes.take(code);
  return grant === undefined ? { kind: "refused", sentence: codeSentence } : { kind: "granted", grant };
}

const tokenSentences = {
  unknown: "the token is not one of this hub; check it, or get another with `flotilla token create`",
  expired: "the token has expired; log in with another",
  revoked: "the token was revoked; log in with another",
} as const;

/** Refuses tokens of cookies: otherwise a login could be renewed again and again without end. */
function checkToken(tokens: TokenRegistry, text: string): Outcome {
  const verified = tokens.verify(text.trim());
  if (verified.kind === "refused") return { kind: "refused", sentence: tokenSentences[verified.reason] };
  const record = tokens.get(verified.tokenId);
  if (record === undefined || record.parentId !== undefined) {
    return { kind: "refused", sentence: tokenSentences.unknown };
  }
  return { kind: "granted", grant: { user: record.user, groups: record.groups, parentId: record.id } };
}

/** The grant of a token's user. It ends with the token, or with the one from which that was derived. */
function grantOf(tokens: TokenRegistry, tokenId: string): LoginGrant {
  const record = tokens.get(tokenId);
  if (record === undefined) throw new FlotillaError("UNAUTHENTICATED", tokenSentences.revoked);
  return { user: record.user, groups: record.groups, parentId: record.parentId ?? record.id };
}
