// SPDX-License-Identifier: Apache-2.0
// The kubeconfig of a GitopsCluster: read from its Secret, and reduced to its current context.
import { hasCode } from "../../base/error.ts";
import { fieldOf, isObject, listOf, textOf } from "../../kinds/fields.ts";
import { parseKubeconfigDocument } from "../../kube/credentials/kubeconfig-document.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeFields, ObjectClient } from "../../kube/object-client.ts";
import type { Gvr } from "../../model/gvr.ts";
import { type GitopsLeaf, leafText } from "./gitops-leaf.ts";

const secrets: Gvr = { group: "", version: "v1", resource: "secrets" };

/** The keys that Cluster API and Flux use, in the order in which they are tried. */
const kubeconfigKeys = ["value", "value.yaml"] as const;

/** The longest answer about a Secret. An accepted kubeconfig has at most 256 KiB (KU7), in base64 a third more. */
export const maxSecretBytes = 512 * 1024;

/** A kubeconfig with one context, as JSON; or a sentence that names what is missing. */
export type LeafKubeconfig =
  | { readonly kind: "kubeconfig"; readonly text: string }
  | { readonly kind: "unusable"; readonly reason: string };

/**
 * Loads the kubeconfig of a GitopsCluster. The same Secret gives the same text. Rejects with a KubeError if the
 * management cluster does not answer, and with the signal's reason.
 */
export async function loadLeafKubeconfig(
  client: ObjectClient,
  leaf: GitopsLeaf,
  signal: AbortSignal,
): Promise<LeafKubeconfig> {
  const { namespace, secretName } = leaf;
  if (secretName === undefined)
    return unusable("it names no Secret: set spec.secretRef.name or spec.capiClusterRef.name");
  const secretText = leafText({ namespace, name: secretName });
  const secret = await loadSecret(client, { namespace, name: secretName }, signal);
  if (typeof secret === "string") return unusable(`Secret ${secretText} ${secret}`);
  const key = kubeconfigKeys.find((each) => textOf(secret, "data", each) !== undefined);
  if (key === undefined) return unusable(`Secret ${secretText} has neither the key value nor value.yaml`);
  const text = decodeText(textOf(secret, "data", key) ?? "");
  if (text === undefined) return unusable(`key ${key} of Secret ${secretText} is not text`);
  return await reduceKubeconfig(`of Secret ${secretText}`, text);
}

/** The Secret, or the words that follow its name if it cannot be used. */
async function loadSecret(
  client: ObjectClient,
  ref: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<KubeFields | string> {
  try {
    const outcome = await client.get({ resource: secrets, ...ref }, signal);
    return outcome.kind === "ok" ? outcome.object : "does not exist";
  } catch (reason) {
    if (!(reason instanceof KubeError)) throw reason;
    if (reason.fault === "forbidden") return "may not be read with the credential of --gitops-kubeconfig";
    if (reason.fault === "malformed") return `cannot be read, or has more than ${maxSecretBytes} bytes`;
    throw reason;
  }
}

/** The text of base64 of UTF-8; undefined if it is not. */
function decodeText(base64: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(base64));
  } catch (reason) {
    if (reason instanceof SyntaxError || reason instanceof TypeError) return undefined;
    throw reason;
  }
}

/**
 * Keeps the current context with its cluster and user, so that the hub stores no other credential. `origin` names the
 * kubeconfig in messages. What the rest may hold is checked by the import (KU7).
 */
export async function reduceKubeconfig(origin: string, text: string): Promise<LeafKubeconfig> {
  let document: unknown;
  try {
    document = await parseKubeconfigDocument(origin, text);
  } catch (reason) {
    if (!hasCode(reason, "CONFIG_INVALID")) throw reason;
    return unusable(reason.message);
  }
  const contexts = listOf(document, "contexts");
  const only = contexts.length === 1 ? textOf(contexts[0], "name") : undefined;
  const name = textOf(document, "current-context") || only;
  const context = findNamed(contexts, name);
  if (context === undefined)
    return unusable(`the kubeconfig ${origin} has no current context among its ${contexts.length} contexts`);
  const named = (kind: "cluster" | "user"): readonly unknown[] => {
    const found = findNamed(listOf(document, `${kind}s`), textOf(context, "context", kind));
    return found === undefined ? [] : [found];
  };
  const reduced = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [context],
    clusters: named("cluster"),
    users: named("user"),
  };
  return { kind: "kubeconfig", text: JSON.stringify(reduced) };
}

function findNamed(entries: readonly unknown[], name: string | undefined): unknown {
  if (name === undefined) return undefined;
  return entries.find((each) => isObject(each) && fieldOf(each, "name") === name);
}

function unusable(reason: string): LeafKubeconfig {
  return { kind: "unusable", reason };
}
