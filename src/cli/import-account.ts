// SPDX-License-Identifier: Apache-2.0
// The account that a hub reaches a cluster by, made with the operator's own credential (IN18).
import type { Clock } from "../base/clock.ts";
import { FlotillaError } from "../base/error.ts";
import { textMapOf, textOf } from "../kinds/fields.ts";
import { KubeError } from "../kube/kube-error.ts";
import type { KubeRequest, KubeSource } from "../kube/kube-source.ts";
import { parseJson, readBody } from "../kube/reflector/parse-json.ts";

/** An object of the account, as it is sent. */
export type AccountObject = Readonly<Record<string, unknown>> & {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

export interface AccountOptions {
  /** With the operator's credential. */
  readonly source: KubeSource;
  /** In the order in which they can be created; the Secret of the token is the last. */
  readonly objects: readonly AccountObject[];
  readonly clock: Clock;
  /** Called when the first object is there. */
  readonly onMade: () => void;
}

/** A token of the account. */
export interface AccountToken {
  readonly text: string;
  /** As the API server says it; undefined: it lasts until its Secret is deleted. */
  readonly expiresAt: string | undefined;
}

/** For one request: somebody waits at a prompt. */
const requestTimeoutMs = 15_000;

/** A few kB; annotations may add some. */
const maxBodyBytes = 1024 * 1024;

/** Kubernetes fills the Secret within a second; where it has not after ten, nothing there does. */
const fillTimeoutMs = 10_000;
const fillPauseMs = 200;

/** A year, where the API server grants as much; managed ones grant a day or two. */
const requestedSeconds = 31_536_000;

const collections: Readonly<Record<string, string>> = {
  Namespace: "/api/v1/namespaces",
  ServiceAccount: "/api/v1/namespaces/NAMESPACE/serviceaccounts",
  Secret: "/api/v1/namespaces/NAMESPACE/secrets",
  ClusterRole: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  ClusterRoleBinding: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
};

/**
 * Creates the objects that are not there, gives a ClusterRole that is there these rules, and resolves with the token that Kubernetes puts into the Secret. Where nothing
 * fills it, with one that is asked for and bound to the Secret, so that deleting the Secret ends it too. Rejects with UNAVAILABLE or PERMISSION_DENIED and what the API server said.
 */
export async function createAccountToken(options: AccountOptions, signal: AbortSignal): Promise<AccountToken> {
  const { objects } = options;
  try {
    for (const object of objects) {
      await ensure(options, object, signal);
      options.onMade();
    }
    const secret = objects.find(({ kind }) => kind === "Secret");
    const account = objects.find(({ kind }) => kind === "ServiceAccount");
    if (secret === undefined || account === undefined) throw new KubeError("malformed", "the account has no token");
    return (await untilFilled(options, secret, signal)) ?? (await requestToken(options, account, secret, signal));
  } catch (reason) {
    if (!(reason instanceof KubeError)) throw reason;
    const code = reason.fault === "forbidden" || reason.fault === "unauthorized" ? "PERMISSION_DENIED" : "UNAVAILABLE";
    throw new FlotillaError(code, `the service account cannot be made: ${reason.message}`, { cause: reason });
  }
}

async function ensure(options: AccountOptions, object: AccountObject, signal: AbortSignal): Promise<void> {
  const path = collectionOf(object);
  try {
    await send(options, { method: "POST", path, body: encode(object) }, signal);
  } catch (reason) {
    if (!(reason instanceof KubeError) || reason.fault !== "conflict") throw reason;
    if (object.kind !== "ClusterRole") return;
    const body = encode({ rules: object["rules"] });
    const headers = { "content-type": "application/merge-patch+json" };
    await send(options, { method: "PATCH", path: `${path}/${object.metadata.name}`, headers, body }, signal);
  }
}

async function untilFilled(
  options: AccountOptions,
  secret: AccountObject,
  signal: AbortSignal,
): Promise<AccountToken | undefined> {
  const { clock } = options;
  const endMs = clock.nowMs() + fillTimeoutMs;
  const path = `${collectionOf(secret)}/${secret.metadata.name}`;
  for (;;) {
    const encoded = textMapOf(await send(options, { method: "GET", path }, signal), "data").get("token");
    if (encoded !== undefined) return { text: Buffer.from(encoded, "base64").toString("utf8"), expiresAt: undefined };
    if (clock.nowMs() >= endMs) return undefined;
    await clock.sleep(fillPauseMs, signal);
  }
}

async function requestToken(
  options: AccountOptions,
  account: AccountObject,
  secret: AccountObject,
  signal: AbortSignal,
): Promise<AccountToken> {
  const found = await send(options, { method: "GET", path: `${collectionOf(secret)}/${secret.metadata.name}` }, signal);
  const { name } = secret.metadata;
  const boundObjectRef = { apiVersion: "v1", kind: "Secret", name, uid: textOf(found, "metadata", "uid") };
  const spec = { expirationSeconds: requestedSeconds, boundObjectRef };
  const body = encode({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec });
  const path = `${collectionOf(account)}/${account.metadata.name}/token`;
  const answer = await send(options, { method: "POST", path, body }, signal);
  const text = textOf(answer, "status", "token");
  if (text === undefined) throw new KubeError("malformed", "the API server answered without a token");
  return { text, expiresAt: textOf(answer, "status", "expirationTimestamp") };
}

function collectionOf({ kind, metadata }: AccountObject): string {
  return (collections[kind] ?? "").replace("NAMESPACE", encodeURIComponent(metadata.namespace ?? ""));
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

async function send(
  { source }: AccountOptions,
  request: Omit<KubeRequest, "deadlineMs">,
  signal: AbortSignal,
): Promise<unknown> {
  const headers = { "content-type": "application/json", ...request.headers };
  const answer = await source.request({ ...request, headers, deadlineMs: requestTimeoutMs }, signal);
  const body = await readBody(answer.body, maxBodyBytes);
  if (body === undefined) throw new KubeError("malformed", `the answer has more than ${maxBodyBytes} bytes`);
  return parseJson(body, request.path);
}
