// SPDX-License-Identifier: Apache-2.0
// Service account tokens: issued by TokenRequest, valid as bearer tokens while the account and the bound object exist.

import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { createSubject, type Subject, serviceAccountUser } from "../../model/subject.ts";
import { type JsonObject } from "../json/json.ts";
import { numberAt, objectAt, textAt, textOf, textsAt } from "../json/json-fields.ts";
import { quoteGo } from "../json/quote-go.ts";
import { createUid } from "../metadata/generate-name.ts";
import type { ObjectReader } from "../resources/object-reader.ts";
import { isSignedBy, parseJwt, type SigningKey, signJwt } from "./jwt.ts";

/**
 * Tolerated clock difference between issuer and verifier: kube-apiserver accepts a token for this long after its
 * expiration.
 */
const leewaySeconds = 60;

/** The default issuer: the DNS name by which Pods reach the API server. */
export const defaultTokenIssuer = "https://kubernetes.default.svc.cluster.local";

/** An object by name and uid, as in claims. */
export interface ObjectReference {
  readonly name: string;
  readonly uid: string;
}

/**
 * The claims of the object whose deletion invalidates a token: name and uid under `pod`, `secret` or `node`. A token
 * bound to a Pod has a `node` claim as well. The node's deletion does not invalidate it, and a node that does not exist
 * has no uid.
 */
export type TokenBinding = Readonly<Partial<Record<"pod" | "secret" | "node", JsonObject>>>;

/** The content of a new token. */
export interface TokenWish {
  readonly namespace: string;
  readonly account: ObjectReference;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly binding: TokenBinding;
}

/** The user of a token and its requested audiences, or kube-apiserver's error message. */
export type AccountVerdict =
  | { readonly subject: Subject; readonly audiences: readonly string[] }
  | { readonly error: string };

export interface AccountTokensOptions {
  readonly key: SigningKey;
  /** The `iss` claim, and the audience of this API server. */
  readonly issuer: string;
  readonly objects: ObjectReader;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Issues and verifies the service account tokens of one cluster. It stores no tokens: validity follows from the
 * signature and the existing objects.
 */
export class AccountTokens {
  readonly #options: AccountTokensOptions;

  constructor(options: AccountTokensOptions) {
    this.#options = options;
  }

  /** The audiences of this API server. */
  get audiences(): readonly string[] {
    return [this.#options.issuer];
  }

  /** Signs a token. The account and the bound object must exist. */
  issue({ namespace, account, audiences, expirationSeconds, binding }: TokenWish): string {
    const { key, issuer, clock, random } = this.#options;
    const nowSeconds = Math.floor(clock.wallMs() / 1000);
    const claims = {
      aud: [...audiences],
      exp: nowSeconds + expirationSeconds,
      iat: nowSeconds,
      iss: issuer,
      jti: createUid(random),
      "kubernetes.io": { namespace, serviceaccount: { ...account }, ...(binding as JsonObject) },
      nbf: nowSeconds,
      sub: serviceAccountUser(namespace, account.name),
    };
    return signJwt(key, claims);
  }

  /** Verifies a token for these audiences. Undefined for a token of another issuer and for a text that is not a JWT. */
  verify(token: string, audiences: readonly string[]): AccountVerdict | undefined {
    const { key, issuer } = this.#options;
    const jwt = parseJwt(token);
    if (jwt === undefined || textAt(jwt.claims, "iss") !== issuer) return undefined;
    const keyId = textAt(jwt.header, "kid") ?? "";
    if (keyId !== "" && keyId !== key.id) return { error: "invalid signature, no keys found" };
    if (!isSignedBy(key, jwt)) return { error: "go-jose/go-jose: error in cryptographic primitive" };
    const shared = textsAt(jwt.claims, "aud").filter((each) => audiences.includes(each));
    if (shared.length === 0) {
      const held = goList(textsAt(jwt.claims, "aud"));
      return { error: `token audiences ${held} is invalid for the target audiences ${goList(audiences)}` };
    }
    const error = this.#timeProblem(jwt.claims) ?? this.#objectProblem(objectAt(jwt.claims, "kubernetes.io") ?? {});
    return error === undefined ? { subject: toSubject(jwt.claims), audiences: shared } : { error };
  }

  #timeProblem(claims: JsonObject): string | undefined {
    const nowSeconds = this.#options.clock.wallMs() / 1000;
    if (nowSeconds + leewaySeconds < (numberAt(claims, "nbf") ?? 0)) return "service account token is not valid yet";
    if (nowSeconds - leewaySeconds > (numberAt(claims, "exp") ?? 0)) return "service account token has expired";
    return undefined;
  }

  /** The error of the account or the bound object, if any. */
  #objectProblem(claims: JsonObject): string | undefined {
    const { objects } = this.#options;
    const namespace = textOf(claims, "namespace");
    const claimed = referenceAt(claims, "serviceaccount") ?? { name: "", uid: "" };
    const account = objects.get("serviceaccounts", namespace, claimed.name);
    if (account === undefined) return `serviceaccounts ${quoteGo(claimed.name)} not found`;
    const uid = textOf(account, "metadata", "uid");
    if (uid !== claimed.uid) return `service account UID (${uid}) does not match claim (${claimed.uid})`;
    if (this.#isLongDeleted(account)) return `service account ${namespace}/${claimed.name} has been deleted`;
    const pod = referenceAt(claims, "pod");
    const bound = (
      [
        ["secret", "secrets", namespace, referenceAt(claims, "secret")],
        ["pod", "pods", namespace, pod],
        // The node of a Pod is a claim only; it is not checked.
        ["node", "nodes", "", pod === undefined ? referenceAt(claims, "node") : undefined],
      ] as const
    ).find(([, , , reference]) => reference !== undefined);
    if (bound === undefined) return undefined;
    const [kind, resource, place, reference = claimed] = bound;
    const object = objects.get(resource, place, reference.name);
    if (object === undefined || this.#isLongDeleted(object)) return "service account token has been invalidated";
    const found = textOf(object, "metadata", "uid");
    if (found === reference.uid) return undefined;
    return `${kind} UID (${found}) does not match service account ${kind} ref claim (${reference.uid})`;
  }

  /** Whether the deletionTimestamp has passed by more than the leeway. */
  #isLongDeleted(object: JsonObject): boolean {
    const time = textAt(object, "metadata", "deletionTimestamp");
    return time !== undefined && Date.parse(time) < this.#options.clock.wallMs() - leewaySeconds * 1000;
  }
}

/** The user in the claims, with kube-apiserver's extra fields of the credential. */
function toSubject(claims: JsonObject): Subject {
  const own = objectAt(claims, "kubernetes.io") ?? {};
  const account = referenceAt(own, "serviceaccount") ?? { name: "", uid: "" };
  const extra = new Map([["authentication.kubernetes.io/credential-id", [`JTI=${textOf(claims, "jti")}`]]]);
  for (const kind of ["pod", "node"]) {
    const reference = referenceAt(own, kind);
    if (reference === undefined) continue;
    extra.set(`authentication.kubernetes.io/${kind}-name`, [reference.name]);
    if (reference.uid !== "") extra.set(`authentication.kubernetes.io/${kind}-uid`, [reference.uid]);
  }
  const user = serviceAccountUser(textOf(own, "namespace"), account.name);
  return createSubject({ user, uid: account.uid, extra });
}

function referenceAt(claims: JsonObject, kind: string): ObjectReference | undefined {
  const found = objectAt(claims, kind);
  return found && { name: textOf(found, "name"), uid: textOf(found, "uid") };
}

/** Formats a list of texts as Go's %q does. */
function goList(texts: readonly string[]): string {
  return `[${texts.map((each) => quoteGo(each)).join(" ")}]`;
}
