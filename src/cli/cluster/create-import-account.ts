// SPDX-License-Identifier: Apache-2.0
// The service account with which a hub connects to an imported cluster, created with the operator's own credential
// (IN18).
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { textMapOf, textOf } from "../../kinds/fields.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { type KubeObjectRef, ObjectClient, objectOf } from "../../kube/object-client.ts";
import type { Gvr } from "../../model/gvr.ts";

/** An object of the account, as sent to the API server. */
export type AccountObject = Readonly<Record<string, unknown>> & {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

export interface AccountOptions {
  /** Uses the operator's credential. */
  readonly source: KubeSource;
  /** In order of creation; the Secret of the token is the last. */
  readonly objects: readonly AccountObject[];
  readonly clock: Clock;
  /** Called each time an object was created or found. */
  readonly onMade: () => void;
}

/** A token of the account. */
export interface AccountToken {
  readonly text: string;
  /** As reported by the API server; undefined: valid until its Secret is deleted. */
  readonly expiresAt: string | undefined;
}

/** 15 s per request: an interactive user is waiting. */
const requestTimeoutMs = 15_000;

/** 1 MiB: such objects have a few kB; annotations may add some. */
const maxBodyBytes = 1024 * 1024;

/** Kubernetes fills the Secret within a second. If it is empty after 10 s, the cluster does not fill it. */
const fillTimeoutMs = 10_000;
const fillPauseMs = 200;

/** One year. API servers may grant less; managed ones grant a day or two. */
const requestedSeconds = 31_536_000;

const core = { group: "", version: "v1" };
const rbac = { group: "rbac.authorization.k8s.io", version: "v1" };

const resources: ReadonlyMap<string, Gvr> = new Map([
  ["Namespace", { ...core, resource: "namespaces" }],
  ["ServiceAccount", { ...core, resource: "serviceaccounts" }],
  ["Secret", { ...core, resource: "secrets" }],
  ["ClusterRole", { ...rbac, resource: "clusterroles" }],
  ["ClusterRoleBinding", { ...rbac, resource: "clusterrolebindings" }],
]);

/**
 * Creates the missing objects, updates the rules of an existing ClusterRole, and resolves with the token that
 * Kubernetes puts into the Secret. If nothing fills the Secret, it requests a token bound to the Secret, so that
 * deleting the Secret revokes it too. Rejects with UNAVAILABLE or PERMISSION_DENIED and the API server's message.
 */
export async function createAccountToken(options: AccountOptions, signal: AbortSignal): Promise<AccountToken> {
  const { source, objects, clock } = options;
  const client = new ObjectClient({ source, requestTimeoutMs, maxBodyBytes });
  try {
    for (const object of objects) {
      await ensure(client, object, signal);
      options.onMade();
    }
    const secret = objects.find(({ kind }) => kind === "Secret");
    const account = objects.find(({ kind }) => kind === "ServiceAccount");
    if (secret === undefined || account === undefined) throw new KubeError("malformed", "the account has no token");
    const filled = await untilFilled({ client, clock }, refOf(secret), signal);
    return filled ?? (await requestToken(client, { account: refOf(account), secret: refOf(secret) }, signal));
  } catch (reason) {
    if (!(reason instanceof KubeError)) throw reason;
    const code = reason.fault === "forbidden" || reason.fault === "unauthorized" ? "PERMISSION_DENIED" : "UNAVAILABLE";
    throw new FlotillaError(code, `the service account cannot be created: ${reason.message}`, { cause: reason });
  }
}

async function ensure(client: ObjectClient, object: AccountObject, signal: AbortSignal): Promise<void> {
  const ref = refOf(object);
  const outcome = await client.create(ref, object, signal);
  if (outcome.kind !== "conflict") objectOf(outcome);
  else if (object.kind === "ClusterRole") objectOf(await client.mergePatch(ref, { rules: object["rules"] }, signal));
}

async function untilFilled(
  { client, clock }: { readonly client: ObjectClient; readonly clock: Clock },
  secret: KubeObjectRef,
  signal: AbortSignal,
): Promise<AccountToken | undefined> {
  const endMs = clock.nowMs() + fillTimeoutMs;
  for (;;) {
    const encoded = textMapOf(objectOf(await client.get(secret, signal)), "data").get("token");
    if (encoded !== undefined) return { text: Buffer.from(encoded, "base64").toString("utf8"), expiresAt: undefined };
    if (clock.nowMs() >= endMs) return undefined;
    await clock.sleep(fillPauseMs, signal);
  }
}

async function requestToken(
  client: ObjectClient,
  { account, secret }: { readonly account: KubeObjectRef; readonly secret: KubeObjectRef },
  signal: AbortSignal,
): Promise<AccountToken> {
  const uid = textOf(objectOf(await client.get(secret, signal)), "metadata", "uid");
  const spec = {
    expirationSeconds: requestedSeconds,
    boundObjectRef: { apiVersion: "v1", kind: "Secret", name: secret.name, uid },
  };
  const wish = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  const answer = objectOf(await client.create({ ...account, subresource: "token" }, wish, signal));
  const text = textOf(answer, "status", "token");
  if (text === undefined) throw new KubeError("malformed", "the API server answered without a token");
  return { text, expiresAt: textOf(answer, "status", "expirationTimestamp") };
}

function refOf({ kind, metadata }: AccountObject): KubeObjectRef {
  const resource = resources.get(kind);
  assert(resource !== undefined, `the account has a ${kind}, whose resource is not known`);
  return { resource, namespace: metadata.namespace, name: metadata.name };
}
